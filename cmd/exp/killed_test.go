package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

var (
	kills    = flag.Int("kills", 5, "how often TestKilled kills exp run")
	killSeed = flag.Uint64("kill-seed", 1, "of the moments at which it does")
)

// killed are the runs that are killed; each keeps a checkpoint after every step.
var killed = [][]string{
	{"tme9-lstm", "epochs=3", "data.limit=48", "batch=8", "select=best", "dropout=0.2"},
	{"tme10-cls-pe", "epochs=2", "data.limit=32", "batch=8", "layers=2"},
}

// process runs exp in a process of its own, in dir. With after > 0 it is killed
// then. It returns what exp said, and whether the kill came before the end.
func process(t *testing.T, dir string, after time.Duration, args ...string) (out string, dead bool) {
	t.Helper()
	var b bytes.Buffer
	cmd := exec.Command("exp", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &b, &b
	cmd.Env = append(os.Environ(), "EXP_DATA="+filepath.Join(dir, "data"))
	require.NoError(t, cmd.Start())
	var killed atomic.Bool
	if after > 0 {
		timer := time.AfterFunc(after, func() {
			killed.Store(true) // before Wait can return
			_ = cmd.Process.Kill()
		})
		defer timer.Stop()
	}
	err := cmd.Wait()
	own := runtime.GOOS != "windows" && cmd.ProcessState.Exited() // an exit of its own
	if killed.Load() && !own && !cmd.ProcessState.Success() {
		return b.String(), true
	}
	require.NoError(t, err, b.String())
	return b.String(), false
}

// runFiles are what must not depend on interruptions, whole.
func runFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := must.Get(runs.List(dir))(t)
	require.Len(t, list, 1)
	require.Equal(t, runs.Finished, list[0].Status.State)
	out := map[string]string{}
	for _, name := range []string{"config.yaml", "metrics.jsonl", "entropy.jsonl", "predictions.tsv", "last.safetensors", "best.safetensors"} {
		b, err := os.ReadFile(filepath.Join(list[0].Path, name))
		if name == "best.safetensors" && errors.Is(err, os.ErrNotExist) {
			continue // of runs that choose the last epoch
		}
		require.NoError(t, err)
		out[name] = string(b)
	}
	return out
}

var wentOn = regexp.MustCompile(`continues after epoch \d+( and \d+ steps)?`)

// TestKilled kills exp run at random moments (SIGKILL; on Windows
// TerminateProcess), over and over until the run has got through, and compares
// the files with those of an uninterrupted run. For more:
//
//	go test ./cmd/exp -run Killed -v -kills 50
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: starts a dozen processes")
	}
	rng := rand.New(rand.NewPCG(*killSeed, 0))
	dir := t.TempDir()
	type reference struct {
		files map[string]string
		took  time.Duration
	}
	wants := make([]reference, len(killed))
	args := func(i int, folder string) []string {
		return append([]string{"run", "--checkpoint-every", "1ns", "--runs", folder, "--workers", "1"}, killed[i]...)
	}
	for i := range killed {
		process(t, dir, 0, "run", "--runs", "warm", "--dry-run", killed[i][0]) // the cache of the sample
		start := time.Now()
		folder := "whole" + killed[i][0]
		process(t, dir, 0, args(i, folder)...)
		wants[i] = reference{runFiles(t, filepath.Join(dir, folder)), time.Since(start)}
	}
	count, writing := map[string]int{}, 0
	for done, n := 0, 0; done < *kills; n++ {
		i := n % len(killed)
		folder := filepath.Join(dir, "killed", killed[i][0], string(rune('a'+n%26)))
		require.NoError(t, os.RemoveAll(folder))
		for {
			after := time.Duration(0)
			if done < *kills {
				after = 1 + time.Duration(rng.Int64N(int64(wants[i].took)))
			}
			out, dead := process(t, dir, after, args(i, folder)...)
			switch m := wentOn.FindStringSubmatch(out); {
			case m == nil:
				count["at the beginning"]++
			case m[1] == "":
				count["after a whole epoch"]++
			default:
				count["inside an epoch"]++
			}
			if !dead {
				break
			}
			done++
			left := must.Get(filepath.Glob(filepath.Join(folder, "*", "*", ".*.aside")))(t)
			if len(left) > 0 {
				writing++
			}
		}
		require.Equal(t, wants[i].files, runFiles(t, folder), "%s, seed %d", killed[i][0], *killSeed)
	}
	t.Logf("killed %d times, %d of them while a file was being written; of the sessions, %d began at the beginning, %d after a whole epoch, %d inside one",
		*kills, writing, count["at the beginning"], count["after a whole epoch"], count["inside an epoch"])
}

var gridRuns = flag.Int("grid-runs", 12, "how many runs the interrupted grid has")

// A grid that is interrupted three times (killed, asked to stop, killed) and typed
// again each time ends with the table of one that was left alone, and with the same
// bytes in every run. docs/reliability.md shows it for 60 runs:
//
//	go test ./cmd/exp -run TestGridInterrupted -grid-runs 60 -v
func TestGridInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that asks a process to stop")
	}
	t.Setenv("EXP_DATA", t.TempDir())
	dir := t.TempDir()
	seeds := max(1, *gridRuns/6)
	grid := func(runs string) *exec.Cmd {
		return exec.Command("exp", "run", "tme9-mean", "tme9-simple", "tme9-lstm", fmt.Sprintf("seed=1..%d", seeds), "lr=0.1,0.01",
			"epochs=2", "data.limit=40", "vectors=random", "select=best", "--jobs", "2", "--runs", runs)
	}
	total := 6 * seeds
	whole, broken := filepath.Join(dir, "whole"), filepath.Join(dir, "broken")
	out, err := grid(whole).CombinedOutput()
	require.NoError(t, err, "%s", out)

	for i, sig := range []os.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		after := total * (i + 1) / 5 // runs that are done by then; a busy machine may deliver the signal late
		done, skipped := interrupt(t, grid(broken), sig, after)
		t.Logf("%v after %d of %d runs (%d of them finished before)", sig, done, total, skipped)
	}
	out, err = grid(broken).CombinedOutput()
	require.NoError(t, err, "%s", out)
	skipped := strings.Count(string(out), "finished before")
	t.Logf("left alone: %d of %d runs finished before", skipped, total)
	require.GreaterOrEqual(t, skipped, total*3/5-2)
	require.Contains(t, string(out), "next: exp report")

	require.Equal(t, table(t, whole), table(t, broken))
	want, got := kept(t, whole), kept(t, broken)
	require.Len(t, want, 4*total)
	require.Equal(t, want, got)
}

// interrupt starts a grid and sends it a signal once so many of its runs are done.
func interrupt(t *testing.T, cmd *exec.Cmd, sig os.Signal, after int) (done, skipped int) {
	t.Helper()
	pipe := must.Get(cmd.StdoutPipe())(t)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(pipe)
	for done < after && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "[") {
			done++
			if strings.Contains(lines.Text(), "finished before") {
				skipped++
			}
		}
	}
	require.NoError(t, cmd.Process.Signal(sig))
	_, _ = io.Copy(io.Discard, pipe) // what it still had to say
	require.Error(t, cmd.Wait(), "it did not end by itself")
	return done, skipped
}

// table is what exp report shows of a folder, without the folder's name.
func table(t *testing.T, runs string) string {
	t.Helper()
	out := must.Get(exec.Command("exp", "report", "--format", "md", "--runs", runs).Output())(t)
	return string(bytes.ReplaceAll(out, []byte(runs), []byte("RUNS")))
}

// kept returns what every run has kept of its results.
func kept(t *testing.T, runs string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"metrics.jsonl", "predictions.tsv", "last.safetensors", "best.safetensors"} {
		paths := must.Get(filepath.Glob(filepath.Join(runs, "*", "*", name)))(t)
		slices.Sort(paths)
		for _, p := range paths {
			b := must.Get(os.ReadFile(p))(t)
			rel := must.Get(filepath.Rel(runs, p))(t)
			out[rel] = string(b)
		}
	}
	return out
}
