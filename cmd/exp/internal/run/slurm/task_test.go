package slurm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// The status of a run decides whether its task is over.
func TestSlurmTaskReads(t *testing.T) {
	e, err := experiments.Lookup("tme9-entropy")
	require.NoError(t, err)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", []string{"lambda=1"})
	require.NoError(t, err)
	c := runs.NewConfig(e.Name, e.Model, 1, p.Set, map[string]string{"data": "1234"})
	c.Classes = []string{"neg", "pos"}
	s := &array{App: &cli.App{Runs: t.TempDir()}}
	task := &task{plan: p, config: c}

	s.read(task)
	require.Nil(t, task.run)
	require.NoError(t, task.err)

	w, err := runs.Create(s.Runs, c, runs.Environment{})
	require.NoError(t, err)
	require.NoError(t, w.Diverged("diverged at epoch 1, step 2 (loss NaN)"))
	require.NoError(t, w.Close())
	s.read(task)
	require.True(t, task.over)
	require.ErrorContains(t, task.err, "tme9-entropy diverged at epoch 1, step 2 (loss NaN). No epoch was completed. Try its own lambda=0.01 or lr=0.001 or clip=1")

	task.over = false
	require.NoError(t, os.WriteFile(filepath.Join(task.run.Path, "last.safetensors"), []byte("rubbish"), 0o666))
	s.read(task)
	require.False(t, task.over, "another task can resume it")
	require.ErrorContains(t, task.err, "Train it again with --force")
}
