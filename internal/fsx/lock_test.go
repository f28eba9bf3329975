package fsx_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
)

// holder makes this test binary a process that takes a lock and waits.
const holder = "FSX_TEST_HOLDER"

func TestMain(m *testing.M) {
	if path := os.Getenv(holder); path != "" {
		_, err := fsx.Acquire(path)
		fmt.Println("locked:", err)
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

// A killed process leaves its name in the lock and the lock free.
func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), holder+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "locked: <nil>\n", line)

	_, err = fsx.Acquire(path)
	held, ok := errors.AsType[*fsx.HeldError](err)
	require.True(t, ok)
	require.Equal(t, cmd.Process.Pid, held.PID)

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // "signal: killed"
	l, err := fsx.Acquire(path)
	require.NoError(t, err)
	require.NoError(t, l.Release())
}
