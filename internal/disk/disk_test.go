package disk_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
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

func TestFull(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}
	require.Equal(t, runtime.GOOS != "windows", disk.Full(fmt.Errorf("run: %w", full)))
	require.False(t, disk.Full(&fs.PathError{Op: "write", Path: "f", Err: syscall.EROFS}))
	require.False(t, disk.Full(nil))
}
