package runs_test

import (
	"flag"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// A reader of a run that is being written sees whole epochs only.
func TestReadWhileWriting(t *testing.T) {
	dir, remove := memory(t)
	defer remove()
	c := config(t, "epochs=60")
	var done atomic.Bool
	failed := make(chan error, 1)
	go func() {
		defer done.Store(true)
		failed <- train(dir, c)
	}()
	for !done.Load() {
		r, err := runs.Lookup(dir, &c)
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
			continue
		}
		require.NotEqual(t, runs.Damaged, r.Status.State, r.Status.Message)
		metrics, err := r.Metrics()
		require.NoError(t, err)
		require.Len(t, metrics, r.Status.Epoch)
		entropies, err := r.Entropies()
		require.NoError(t, err)
		require.Len(t, entropies, 2*r.Status.Epoch)
		timing, err := r.Timing()
		require.NoError(t, err)
		require.Len(t, timing, r.Status.Epoch)
	}
	require.NoError(t, <-failed)
}

var writeFixture = flag.String("write-fixture", "", "write the runs of TestOldFormats into this new folder")

// TestOldFormats reads the files of earlier versions. Its folders, one for each format, never
// change: for a new format add one with -write-fixture.
func TestOldFormats(t *testing.T) {
	if dir := *writeFixture; dir != "" {
		clock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		table, err := runs.PutTable(dir, &runs.Table{Words: []string{"good", "bad"}, Rows: []float32{1, 2, 3, 4, 5, 6}, Dim: 2, OOV: 2})
		require.NoError(t, err)
		c := config(t, "epochs=2", "select=best")
		c.Table = table
		require.NoError(t, train(dir, c))
		c = config(t, "seed=2")
		w, err := runs.Create(dir, c, environment())
		require.NoError(t, err)
		require.NoError(t, w.Diverged("loss NaN"))
		require.NoError(t, w.Close())
		stopped(t, filepath.Join(dir, "inside"), config(t, "seed=3"), 2)
	}
	folders, err := filepath.Glob(filepath.Join("testdata", "format*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r, err := runs.Find(dir, "tme9-simple[seed=1]")
			require.NoError(t, err)
			require.Equal(t, "tme9-simple/f278a5f04131", r.Label())
			require.Equal(t, runs.Status{State: runs.Finished, Epoch: 2, Epochs: 2}, r.Status)
			require.Equal(t, "adam", r.Config.Setting("optimizer"))
			require.Equal(t, 80.04, r.Config.Published.TestAcc)
			require.Equal(t, runs.Part{Reviews: 100, Words: 2000}, r.Config.Data.Train)
			m, err := r.Chosen()
			require.NoError(t, err)
			require.Equal(t, 1, m.Epoch)
			require.Equal(t, 2.5, *m.TrainAcc)
			require.Equal(t, [5]float64{0, 1, 2, 3, 4}, *m.TestQuantiles)
			timing, err := r.Timing()
			require.NoError(t, err)
			require.Len(t, timing, 2)
			h, err := r.Entropies()
			require.NoError(t, err)
			require.Equal(t, 1, h[3].Counts[2])
			p, err := r.Predictions()
			require.NoError(t, err)
			require.Equal(t, []float32{0.125, 0.875}, p.Rows[1].P)
			table, err := r.Table()
			require.NoError(t, err)
			require.Equal(t, "bad", table.Words[1])
			e, err := r.Environment()
			require.NoError(t, err)
			require.Equal(t, "portable", e.SIMD)
			for which, weight := range map[string]float32{runs.Last: 5.75, runs.Best: 2.5} {
				c, err := r.Checkpoint(which)
				require.NoError(t, err)
				require.Equal(t, []float32{weight}, c.Params[0].Data)
			}
			r, err = runs.Find(dir, "tme9-simple[seed=2]")
			require.NoError(t, err)
			require.Equal(t, "diverged: loss NaN", r.Status.String())
		})
	}
}

// A run that an earlier version left inside an epoch is resumed with the same result.
func TestOldRunGoesOn(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "inside*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	c, reference := config(t, "seed=3"), t.TempDir()
	require.NoError(t, train(reference, c))
	want := contents(t, runs.Folder(reference, &c))
	for _, from := range folders {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
		w, checkpoint, err := begin(dir, c)
		require.NoError(t, err)
		require.Equal(t, [2]int{1, 1}, [2]int{checkpoint.Epoch, checkpoint.Step})
		require.NoError(t, w.Close())
		require.NoError(t, train(dir, c))
		got := contents(t, runs.Folder(dir, &c))
		for _, name := range []string{"metrics.jsonl", "entropy.jsonl", "predictions.tsv", "last.safetensors"} {
			require.Equal(t, want[name], got[name], "%s: %s", from, name)
		}
	}
}
