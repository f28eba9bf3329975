package disk_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/disk"
)

func TestFree(t *testing.T) {
	dir := t.TempDir()
	n, ok := disk.Free(dir)
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
		require.True(t, ok)
		require.Positive(t, n)
	}
	_, ok = disk.Free(filepath.Join(dir, "nothing"))
	require.False(t, ok, "a folder that is not there")
}
