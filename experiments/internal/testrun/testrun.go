// Package testrun trains small runs for the tests of experiments.
package testrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// Few makes a run of reviews one of a moment.
var Few = []string{"data=sample", "data.limit=64", "batch=16"}

// Plan resolves an experiment with settings.
func Plan(t testing.TB, name string, assignments ...string) *plan.Plan {
	t.Helper()
	e, err := experiments.Lookup(name)
	require.NoError(t, err)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", assignments)
	require.NoError(t, err)
	return p
}

// Runner keeps runs in dir.
func Runner(t testing.TB, dir string, workers int) *training.Runner {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	return &training.Runner{Dir: dir, Pool: pool, Loader: &task.Loader{Dir: t.TempDir(), Workers: workers}}
}

// Train carries out a plan to its end.
func Train(t testing.TB, r *training.Runner, p *plan.Plan) *runs.Run {
	t.Helper()
	o, err := r.Run(context.Background(), p, training.Hooks{})
	require.NoError(t, err)
	require.Equal(t, runs.Finished, o.Run.Status.State)
	return o.Run
}

// Result is everything of a run that must be the same wherever it is made.
func Result(t testing.TB, r *runs.Run) string {
	t.Helper()
	var out bytes.Buffer
	for _, name := range []string{runs.MetricsFile, runs.TestedFile, runs.EntropyFile, r.Config.Task().Answers, runs.CheckpointFile(runs.Last)} {
		if name == runs.TestedFile && r.Config.General().Test != "last" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(r.Path, name))
		require.NoError(t, err)
		if name == runs.MetricsFile || name == runs.TestedFile {
			out.Write(b)
			continue
		}
		sum := sha256.Sum256(b)
		out.WriteString(name + " " + hex.EncodeToString(sum[:]) + "\n")
	}
	return out.String()
}

// SameBits trains with each number of workers and on each level of the kernels: the
// same seed gives the same bits.
func SameBits(t testing.TB, name string, assignments ...string) {
	t.Helper()
	defer simd.Use(simd.Best())
	want := ""
	for level := simd.Best(); level >= simd.Portable; level-- {
		require.NoError(t, simd.Use(level))
		for _, workers := range []int{1, 2, 4, 7} {
			if level != simd.Best() && workers != 2 {
				continue
			}
			got := Result(t, Train(t, Runner(t, t.TempDir(), workers), Plan(t, name, assignments...)))
			if want == "" {
				want = got
			}
			require.Equal(t, want, got, "%v, %v kernels, %d workers", assignments, level, workers)
		}
	}
}
