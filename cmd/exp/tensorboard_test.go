package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/tfeventstest"
	"imdbexp/runs"
)

// eventsIn returns the events of the only event file below dir, without the two
// that every file begins with.
func eventsIn(t *testing.T, dir string) []tfeventstest.Event {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(dir, "*", "*", "events.out.tfevents.*")))(t)
	require.Len(t, paths, 1)
	b := must.Get(os.ReadFile(paths[0]))(t)
	all := must.Get(tfeventstest.Read(b))(t)
	require.Equal(t, "brain.Event:2", all[0].Version)
	require.True(t, all[1].Start)
	return all[2:]
}

// timeless removes what depends on the clock.
func timeless(events []tfeventstest.Event) []tfeventstest.Event {
	for i := range events {
		events[i].Time = 0
		delete(events[i].Scalars, "speed/words_per_second")
	}
	return events
}

func TestTensorBoard(t *testing.T) {
	dir, flags := folders(t)
	require.Contains(t, ok(t, tiny(flags, "epochs=2", "select=best", "--tensorboard")...), "tensorboard --logdir "+cli.Quoted(dir))
	list := must.Get(runs.List(dir))(t)
	metrics := must.Get(list[0].Metrics())(t)
	histograms := must.Get(list[0].Entropies())(t)
	events := eventsIn(t, dir)
	require.Len(t, events, 2)
	for i, m := range metrics {
		e := events[i]
		require.EqualValues(t, m.Epoch, e.Step)
		require.Greater(t, e.Time, 1.7e9)
		for tag, want := range map[string]*float64{
			"loss/train": m.TrainLoss, "loss/valid": m.ValidLoss, "loss/test": m.TestLoss,
			"accuracy/train": m.TrainAcc, "accuracy/valid": m.ValidAcc, "accuracy/test": m.TestAcc,
			"entropy/train": m.TrainEntropy, "entropy/test": m.TestEntropy, "gradient/norm": m.GradNorm,
		} {
			require.Equal(t, float32(*want), e.Scalars[tag], tag)
		}
		require.Positive(t, e.Scalars["speed/words_per_second"])
		require.Len(t, e.Scalars, 10)
		require.Len(t, e.Histograms, 2)
		h := e.Histograms["entropies/test"]
		require.Equal(t, m.TestQuantiles[0], h.Min)
		require.Equal(t, m.TestQuantiles[4], h.Max)
		require.InDelta(t, *m.TestEntropy, h.Sum/h.Num, histograms[0].Step/2)
		require.Positive(t, h.Counts[0])
		require.Positive(t, h.Counts[len(h.Counts)-1])
	}
}

// However a run was trained, its event file has each epoch once.
func TestTensorBoardHasEachEpochOnce(t *testing.T) {
	dir, flags := folders(t)
	board := t.TempDir()
	train := func(n string, more ...string) string {
		return ok(t, tiny(flags, append(more, "epochs="+n, "--tensorboard="+board)...)...)
	}
	remove := func() { require.NoError(t, os.RemoveAll(filepath.Join(board, "tme9-lstm"))) }
	train("3")
	whole := timeless(eventsIn(t, board))
	require.Len(t, whole, 3)

	remove() // of a finished run
	require.Contains(t, train("3"), "finished before")
	require.Equal(t, whole, timeless(eventsIn(t, board)))

	ctx, cancel := context.WithCancel(t.Context()) // stopped after the first epoch
	stop := output{see: func(text string) {
		if strings.Contains(text, "epoch 1/3") {
			cancel()
		}
	}}
	require.Equal(t, exitInterrupted, call(ctx, &stop, 0, false, tiny(flags, "epochs=3", "--force", "--tensorboard="+board)...))
	require.Equal(t, whole[:1], timeless(eventsIn(t, board)))
	remove()
	train("3")
	require.Equal(t, whole, timeless(eventsIn(t, board)))

	remove() // the longer run has its own folder
	require.Contains(t, train("4"), "continues from the 3 epochs of")
	longer := timeless(eventsIn(t, board))
	require.Len(t, longer, 4)
	require.Equal(t, whole, longer[:3])
	none := must.Get(filepath.Glob(filepath.Join(dir, "*", "*", "events*")))(t)
	require.Empty(t, none, "nothing in the run folders")
}

// A file that cannot be written is one warning, and no run depends on it.
func TestTensorBoardFails(t *testing.T) {
	dir, flags := folders(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	out := ok(t, tiny(flags, "epochs=2", "--tensorboard="+file)...)
	require.Equal(t, 1, strings.Count(out, "warning: no further events for TensorBoard"), out)
	kept := readAll(t, dir, "metrics.jsonl", "predictions.tsv", "config.yaml")
	ok(t, tiny(flags, "epochs=2", "--force", "--tensorboard")...)
	require.Equal(t, kept, readAll(t, dir, "metrics.jsonl", "predictions.tsv", "config.yaml"))
}

func TestTensorBoardOfHeads(t *testing.T) {
	dir, flags := folders(t)
	ok(t, append([]string{"run", "multihead", "test=each", "heads=2", "data.limit=20", "epochs=1", "vectors=random", "--tensorboard"}, flags...)...)
	e := eventsIn(t, dir)[0]
	for _, tag := range []string{"head_entropy/train/layer_1_head_2", "head_entropy_of_log_n/test/layer_1_head_1", "heads/similarity"} {
		require.Contains(t, e.Scalars, tag)
	}
	for _, tag := range []string{"entropies/test", "head_entropies/train/layer_1_head_2", "head_entropies_of_log_n/test/layer_1_head_1"} {
		require.Contains(t, e.Histograms, tag)
	}
	require.LessOrEqual(t, e.Histograms["head_entropies_of_log_n/test/layer_1_head_1"].Min, 1.0)
}
