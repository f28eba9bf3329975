package system_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/system"
)

func TestDiskFull(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}
	require.Equal(t, runtime.GOOS != "windows", system.DiskFull(fmt.Errorf("run: %w", full)))
	require.False(t, system.DiskFull(&fs.PathError{Op: "write", Path: "f", Err: syscall.EROFS}))
	require.False(t, system.DiskFull(nil))
}
