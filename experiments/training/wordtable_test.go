package training_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/models"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// vectorsOf returns the table that a run began with and the one that it trained.
func vectorsOf(t *testing.T, r *runs.Run) (before *runs.Table, after []float32) {
	t.Helper()
	before = must.Get(r.Table())(t)
	c := must.Get(r.Checkpoint(runs.Last))(t)
	for _, x := range c.Params {
		if x.Name == models.VectorsWeight {
			require.Equal(t, []int{len(before.Rows) / before.Dim, before.Dim}, x.Shape)
			return before, x.Data.([]float32)
		}
	}
	require.FailNow(t, "no vectors in the checkpoint")
	return nil, nil
}

// half writes a file of vectors for every other word that a run sees.
func half(t *testing.T, settings []string) (file string) {
	j := must.Get(testrun.Runner(t, t.TempDir(), 1).Job(t.Context(), testrun.Plan(t, "tme9-simple", append(settings, "vectors=random")...)))(t)
	d := j.Data
	var text strings.Builder
	for i := 1; i < d.Table.Len(); i += 2 {
		text.WriteString(d.Table.Words[i])
		for _, v := range d.Table.Rows[i*d.Table.Dim:][:d.Table.Dim] {
			fmt.Fprintf(&text, " %g", v)
		}
		text.WriteByte('\n')
	}
	file = filepath.Join(t.TempDir(), "half.txt")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	return file
}

// Which rows move: those of the words of train, the row of words without a vector
// unless it is zeros, and no others.
func TestTrainedRows(t *testing.T) {
	few := []string{"data.limit=30", "epochs=1", "batch=8", "vectors.train=true", "vectors.dim=10"}
	file := half(t, few)
	for name, c := range map[string]struct {
		settings []string
		oovMoves bool
	}{
		"mean":    {[]string{"oov=mean"}, true},
		"learned": {[]string{"oov=learned"}, true},
		"zero":    {[]string{"oov=zero"}, false},
		"masked":  {[]string{"oov=masked"}, false},
		"sgd":     {[]string{"optimizer=sgd", "lr=1", "momentum=0.5"}, true},
		"own lr":  {[]string{"lr=1e-30", "vectors.lr=0.01"}, true},
		"dense":   {[]string{"vectors.adam=dense"}, true},
		"random":  {[]string{"vectors=random"}, false}, // every word has one
		"corpus":  {[]string{"vectors=corpus"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := testrun.Alone(t, t.TempDir(), 2)
			p := testrun.Plan(t, "tme9-simple", slices.Concat(few, []string{"vectors=" + file}, c.settings)...)
			j := must.Get(r.Job(t.Context(), p))(t)
			d := j.Data
			begun := slices.Clone(d.Table.Rows)
			inTrain := map[int32]bool{}
			for _, id := range d.Train.IDs {
				inTrain[id] = true
			}
			before, after := vectorsOf(t, testrun.Train(t, r, p))
			require.Equal(t, begun, d.Table.Rows, "the loader's table is shared by other runs")
			require.Equal(t, begun, before.Rows)
			frozen := 0
			for row := range int32(len(after) / before.Dim) {
				at := int(row) * before.Dim
				moved := !slices.Equal(begun[at:at+before.Dim], after[at:at+before.Dim])
				switch {
				case row == before.OOV:
					require.Equal(t, c.oovMoves, moved, "row of words without a vector")
				case moved != inTrain[row]:
					require.Fail(t, "row", "%d (%s): moved %v, in train %v", row, before.Words[row], moved, inTrain[row])
				case !moved:
					frozen++
				}
			}
			require.Positive(t, frozen, "words of the test split alone")
		})
	}
}

// With the same settings but for oov, mean and learned are one training.
func TestTrainedMeanIsLearned(t *testing.T) {
	more := []string{"data.limit=30", "epochs=2", "vectors=corpus", "vectors.dim=10", "vectors.train=true"}
	_, mean := vectorsOf(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append(more, "oov=mean")...)))
	_, learned := vectorsOf(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append(more, "oov=learned")...)))
	require.Equal(t, mean, learned)
}

// Trained vectors have the same bits for any number of workers and on every level
// of the kernels, with any optimiser.
func TestTrainedSameBits(t *testing.T) {
	for _, optimizer := range []string{"optimizer=adam", "optimizer=adamw weight_decay=0.1 vectors.adam=dense", "optimizer=sgd momentum=0.9 clip=0.1"} {
		testrun.SameBits(t, "tme9-query", append([]string{"batch=64", "data.limit=64", "epochs=1", "vectors.train=true"}, strings.Fields(optimizer)...)...)
	}
}

// The sample's words can be learned from nothing: random vectors that are trained
// do better than frozen ones.
func TestTrainedVectorsLearn(t *testing.T) {
	accuracy := func(more ...string) float64 {
		r := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-mean", append([]string{"data.limit=300", "vectors=random", "vectors.dim=20", "epochs=3", "lr=0.01"}, more...)...))
		m := must.Get(r.Metrics())(t)
		return *m[len(m)-1].TestAcc
	}
	require.Greater(t, accuracy("vectors.train=true"), accuracy()+2)
}
