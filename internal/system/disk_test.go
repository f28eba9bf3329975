package system_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/system"
)

func TestFreeDisk(t *testing.T) {
	dir := t.TempDir()
	n, ok := system.FreeDisk(dir)
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
		require.True(t, ok)
		require.Positive(t, n)
	}
	_, ok = system.FreeDisk(filepath.Join(dir, "nothing"))
	require.False(t, ok, "a folder that is not there")
}

func TestDiskFull(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}
	require.Equal(t, runtime.GOOS != "windows", system.DiskFull(fmt.Errorf("run: %w", full)))
	require.False(t, system.DiskFull(&fs.PathError{Op: "write", Path: "f", Err: syscall.EROFS}))
	require.False(t, system.DiskFull(nil))
}
