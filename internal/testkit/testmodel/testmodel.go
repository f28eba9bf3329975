// Package testmodel trains small runs on the sample for tests of packages that ask models.
package testmodel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// loader opens the sample once for the runs of a package's tests.
var loader = task.Loader{Dir: filepath.Join(os.TempDir(), "no-data-folder"), Workers: 2}

// Train makes a run of an experiment on 20 reviews of the sample and part.
func Train(t testing.TB, name string, assignments ...string) (*runs.Run, *ops.Pool) {
	t.Helper()
	pool := ops.NewPool(1)
	t.Cleanup(pool.Close)
	e := must.Get(experiments.Lookup(name))(t)
	small := []string{"data.limit=20"}
	switch { // what counts n-grams has neither epochs nor word vectors, what translates no vectors
	case name == "nbsvm", name == "bow-lr":
	case strings.HasPrefix(name, "seq2seq"):
		small = append(small, "epochs=1")
	default:
		small = append(small, "epochs=1", "vectors=random")
	}
	p := must.Get(plan.New(plan.Base{Experiment: e}, "sample", append(small, assignments...)))(t)
	r := &training.Runner{Dir: t.TempDir(), Pool: pool, Loader: &loader}
	j := must.Get(r.Job(t.Context(), p))(t)
	out := must.Get(j.Run(t.Context(), training.Hooks{}))(t)
	return out.Run, pool
}
