//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// child is a process that is listened to while it runs.
type child struct {
	*exec.Cmd
	lines  *bufio.Scanner
	errors bytes.Buffer
}

func begin(t *testing.T, dir, name string, args ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(name, args...)}
	c.Dir, c.Stderr = dir, &c.errors
	c.Env = append(os.Environ(), "EXP_DATA="+filepath.Join(dir, "data"))
	out := must.Get(c.StdoutPipe())(t)
	c.lines = bufio.NewScanner(out)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() }) // where the test has failed
	return c
}

// hears reads up to a line that begins so and returns all lines.
func (c *child) hears(t *testing.T, start string) string {
	t.Helper()
	var all strings.Builder
	for c.lines.Scan() {
		all.WriteString(c.lines.Text() + "\n")
		if strings.HasPrefix(c.lines.Text(), start) {
			return all.String()
		}
	}
	require.Fail(t, "no line begins with "+start, all.String()+c.errors.String())
	return ""
}

// Each of the signals ends a run after the current step, with a checkpoint from
// which it resumes.
func TestStopSignals(t *testing.T) {
	dir := t.TempDir()
	before := runs.Status{}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			continue // as under nohup
		}
		c := begin(t, dir, "exp", "run", "tme9-lstm", "epochs=1000", "data.limit=64", "batch=4")
		out := c.hears(t, "epoch ")
		require.Equal(t, before.Epoch > 0, strings.Contains(out, "continues after epoch "), out)
		require.NoError(t, c.Process.Signal(s))
		for c.lines.Scan() {
		}
		require.Error(t, c.Wait())
		require.Equal(t, exitInterrupted, c.ProcessState.ExitCode(), "%s: %s", s, c.errors.String())
		require.Contains(t, c.errors.String(), "exp: stopped after epoch ")
		r := must.Get(runs.Find(filepath.Join(dir, "runs"), "@last"))(t)
		require.Equal(t, runs.Unfinished, r.Status.State)
		require.Greater(t, r.Status.Epoch, before.Epoch)
		require.Nil(t, r.Held())
		before = r.Status
	}
}

// A second request ends the process at once, but not what comes with the first.
func TestSecondSignal(t *testing.T) {
	c := begin(t, t.TempDir(), "waits")
	c.hears(t, "ready")
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	c.hears(t, "asked")
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	time.Sleep(2 * sameRequest)
	start := time.Now()
	require.NoError(t, c.Process.Signal(syscall.SIGTERM), "it lives")
	require.EqualError(t, c.Wait(), "signal: terminated")
	require.Less(t, time.Since(start), 30*time.Second)
}

// Signals that nohup(1) ignores stay ignored.
func TestIgnoredSignal(t *testing.T) {
	c := begin(t, t.TempDir(), "sh", "-c", `trap "" HUP; exec waits`)
	c.hears(t, "ready")
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	c.hears(t, "asked")
	time.Sleep(2 * sameRequest)
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	require.EqualError(t, c.Wait(), "signal: interrupt")
}

// A second process on one run gets an error that names the first.
func TestSecondProcess(t *testing.T) {
	dir := t.TempDir()
	args := []string{"run", "tme9-lstm", "epochs=1000", "data.limit=64"}
	first := begin(t, dir, "exp", args...)
	first.hears(t, "epoch ")
	second := begin(t, dir, "exp", args...)
	for second.lines.Scan() {
	}
	require.Error(t, second.Wait())
	require.Equal(t, exitFailed, second.ProcessState.ExitCode())
	host := must.Get(os.Hostname())(t)
	require.Regexp(t, `another process is training tme9-lstm/[0-9a-f]{12}: .*\.lock is held by process `, second.errors.String())
	require.Contains(t, second.errors.String(), "process "+strconv.Itoa(first.Process.Pid)+" on "+host)

	// Killed, it leaves its name in the lock, but not the lock.
	require.NoError(t, first.Process.Kill())
	require.Error(t, first.Wait())
	third := begin(t, dir, "exp", args...)
	third.hears(t, "epoch ")
	require.NoError(t, third.Process.Kill())
	require.Error(t, third.Wait())
}
