// Package testrun trains small runs for the tests of experiments.
package testrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	_ "imdbexp/internal/testkit/inmemory"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// Few are settings that make a run on reviews very short.
var Few = []string{"data=sample", "data.limit=64", "batch=16"}

// Plan resolves an experiment with settings.
func Plan(t testing.TB, name string, assignments ...string) *plan.Plan {
	t.Helper()
	e := must.Get(experiments.Lookup(name))(t)
	return must.Get(plan.New(plan.Base{Experiment: e}, "sample", assignments))(t)
}

// Long reports whether long tests run, as in .ci/run.
func Long() bool { return os.Getenv("EXP_CI") == "1" }

// shared opens the embedded data once for the tests of a package; kept holds what it has
// opened.
var (
	shared = task.Loader{Dir: filepath.Join(os.TempDir(), "no-data-folder"), Workers: 2}
	kept   sync.Map
)

// Runner returns a runner for the folder dir that shares the embedded data with other tests.
func Runner(t testing.TB, dir string, workers int) *training.Runner {
	r := Alone(t, dir, workers)
	r.Loader = &shared
	return r
}

// Alone returns a Runner with its own data folder and data.
func Alone(t testing.TB, dir string, workers int) *training.Runner {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	return &training.Runner{Dir: dir, Pool: pool, Loader: &task.Loader{Dir: t.TempDir(), Workers: workers}}
}

// Train trains a plan to its end.
func Train(t testing.TB, r *training.Runner, p *plan.Plan) *runs.Run {
	t.Helper()
	j := must.Get(r.Job(context.Background(), p))(t)
	if r.Loader == &shared {
		kept.Store(j.Data.Table, j.Data)
	}
	o := must.Get(j.Run(context.Background(), training.Hooks{}))(t)
	require.Equal(t, runs.Finished, o.Run.Status.State)
	return o.Run
}

// Result returns everything of a run that must be the same on every machine.
func Result(t testing.TB, r *runs.Run) string {
	t.Helper()
	var out bytes.Buffer
	for _, name := range []string{runs.MetricsFile, runs.TestedFile, runs.EntropyFile, r.Config.Task().Answers, runs.CheckpointFile(runs.Last)} {
		if name == runs.TestedFile && !r.Config.General().TestsAtEnd(r.ChosenEpoch()) {
			continue
		}
		b := must.Get(os.ReadFile(filepath.Join(r.Path, name)))(t)
		if name == runs.MetricsFile || name == runs.TestedFile {
			out.Write(b)
			continue
		}
		sum := sha256.Sum256(b)
		out.WriteString(name + " " + hex.EncodeToString(sum[:]) + "\n")
	}
	return out.String()
}

// SameBits trains with several numbers of workers and on each level of the kernels: the
// same seed gives the same bits, of corpus vectors too.
func SameBits(t testing.TB, name string, assignments ...string) {
	t.Helper()
	defer simd.Use(simd.Best())
	many := []int{2, 7}
	if Long() {
		many = []int{1, 2, 4, 7}
	}
	want := ""
	for _, level := range slices.Backward(simd.Levels()) {
		require.NoError(t, simd.Use(level))
		for _, workers := range many {
			if level != simd.Best() && workers != 2 {
				continue
			}
			got := Result(t, Train(t, Alone(t, t.TempDir(), workers), Plan(t, name, assignments...)))
			if want == "" {
				want = got
			}
			require.Equal(t, want, got, "%v, %v kernels, %d workers", assignments, level, workers)
		}
	}
}
