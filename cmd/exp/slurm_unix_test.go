//go:build !windows

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/slurm"
	"imdbexp/internal/testkit/must"
)

// The batch script runs with a fake exp and scontrol. The test checks the exit code, and the
// signal before the time limit.
func TestJobScriptRuns(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	const requeued = -1 // ended by Slurm
	for _, c := range []struct {
		name     string
		exp      string
		scontrol string // what scontrol requeue does
		usr1     bool
		code     int
		says     string
	}{
		{"done", "exit 0", "", false, 0, ""},
		{"diverged", "exit 3", "", false, 3, ""},
		{"time up", `sleep 0.1; : > "$run/last.safetensors"; exit 130`, `echo "$@"; kill -KILL $PPID`, true, requeued, "requeue 7_1"},
		{"time up, cannot requeue", `sleep 0.1; : > "$run/last.safetensors"; exit 130`, "exit 1", true, 130, "back into the queue"},
		{"time up before a checkpoint", "exit 130", "echo never", true, 124, "use a longer one"},
		{"time up at the end", "exit 0", "echo never", true, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "it's here")
			run := filepath.Join(dir, "b", "2")
			require.NoError(t, os.MkdirAll(run, 0o777))
			write := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/bash\n"+text+"\n"), 0o777))
			}
			wait := ""
			if c.usr1 { // exp ends when it is told to
				wait = `trap told=1 TERM; echo ready; for i in {1..500}; do [ "${told:-}" ] && break; sleep 0.01; done; `
			}
			write("exp", `run="$5"/b/2; printf '<%s>' "$@"; echo; `+wait+c.exp) // run NAME lr=… --runs DIR
			write("scontrol", c.scontrol)
			g := must.Get(slurm.Open(dir, []string{"a/1", "b/2"}, []string{"a", "b 'x=1 2'"}))(t)
			g.Command = (&fakeSlurm{}).run
			text := must.Get(slurm.Script{Dir: g.Dir, Runs: dir, Data: "/data", Options: slurm.Options{Exp: filepath.Join(dir, "exp"), CPUs: 1}}.Text())(t)
			require.NoError(t, g.WriteScript(text))

			out := &signalled{word: "ready", seen: make(chan struct{})}
			must.Get2(g.Submit(t.Context(), []int{0, 1}, 0))(t)
			cmd := exec.Command("bash", filepath.Join(g.Dir, "job.sh"), "tasks-1.txt")
			cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_JOB_ID=7", "PATH="+dir+":"+os.Getenv("PATH"))
			cmd.Stdout, cmd.Stderr = out, out
			require.NoError(t, cmd.Start())
			if c.usr1 {
				select {
				case <-out.seen:
				case <-time.After(20 * time.Second):
					t.Fatal("exp was not started: ", out.text.String())
				}
				require.NoError(t, cmd.Process.Signal(syscall.SIGUSR1))
			}
			_ = cmd.Wait()
			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), out.text.String())
			assert.Contains(t, out.text.String(), "<run><b><x=1 2><--runs><"+dir+"><--data-dir></data><--workers><1><--checkpoint-every><0s>")
			assert.Contains(t, out.text.String(), c.says)
			assert.NotContains(t, out.text.String(), "never")
		})
	}
}

// signalled keeps what a command prints and tells when it says a word.
type signalled struct {
	text strings.Builder
	word string
	seen chan struct{}
	told bool
}

func (s *signalled) Write(p []byte) (int, error) {
	s.text.Write(p)
	if !s.told && strings.Contains(s.text.String(), s.word) {
		s.told = true
		close(s.seen)
	}
	return len(p), nil
}
