package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

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
		after := total * (i + 1) / 4 // runs that are done by then
		done, skipped := interrupt(t, grid(broken), sig, after)
		t.Logf("%v after %d of %d runs (%d of them finished before)", sig, done, total, skipped)
	}
	out, err = grid(broken).CombinedOutput()
	require.NoError(t, err, "%s", out)
	skipped := strings.Count(string(out), "finished before")
	t.Logf("left alone: %d of %d runs finished before", skipped, total)
	require.GreaterOrEqual(t, skipped, total*3/4-2)
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
