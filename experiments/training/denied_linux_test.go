package training_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"imdbexp/internal/testkit/testrun"

	"github.com/stretchr/testify/require"
)

// The error for a run without read permission does not advise --force, which would discard the run.
func TestDeniedIsNotForced(t *testing.T) {
	p := testrun.Plan(t, "tme9-simple", append([]string{"epochs=1"}, testrun.Few...)...)
	r := testrun.Runner(t, t.TempDir(), 1)
	run := testrun.Train(t, r, p)
	require.NoError(t, os.Chmod(filepath.Join(run.Path, "last.safetensors"), 0))
	if os.Getuid() == 0 { // root may read everything
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(t, syscall.Setfsuid(65534))
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	_, _, _, err := rerun(t, r, p)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, "ask its owner")
	require.NotContains(t, err.Error(), "--force")
}
