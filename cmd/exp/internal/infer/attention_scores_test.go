package infer_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/dataset/open"
)

// The softmax that is measured is the run's own: its entropies over all test reviews are
// those that the run has kept. What a variance is scaled by is known.
func TestScoreSpreads(t *testing.T) {
	for assignments, scale := range map[string]float64{
		"tme10-self heads=2 layers=2 key.width=9":                   1.0 / 3,
		"tme10-self heads=2 layers=2 key.width=9 scale=none":        1,
		"tme10-cls variant=original layers=2 layer.dropout=0":       1 / math.Sqrt(50),
		"tme10-self norm=layer pool=attention layers=1 key.width=4": 0.5,
		"tme9-lstm":          1,
		"luong score=concat": 1,
	} {
		t.Run(assignments, func(t *testing.T) {
			t.Parallel()
			list := strings.Fields(assignments)
			run, pool := train(t, list[0], append(list[1:], "epochs=1", "data.limit=10")...)
			m, err := infer.Open(run, pool)
			require.NoError(t, err)
			defer m.Close()
			corpus, err := m.OpenCorpus(t.Context(), t.TempDir(), "sample", open.Options{})
			require.NoError(t, err)
			last, want := 0, 20
			if m.BatchDependent() {
				want = 16 // one batch: slip.drop_last
			}
			s, err := m.ScoreSpreads(t.Context(), corpus, dataset.Test, 10, func(done, of int) {
				require.Equal(t, last+1, done)
				require.Equal(t, want, of)
				last = done
			})
			require.NoError(t, err)
			require.Equal(t, want, s.Reviews)
			metrics, err := run.Metrics()
			require.NoError(t, err)
			for _, h := range s.Heads {
				entropy := metrics[0].TestEntropy
				if h.Layer > 0 {
					entropy = &metrics[0].TestHeads[h.Layer-1][h.Head-1].Nats
				}
				require.InDelta(t, *entropy, h.Entropy, 1e-4)
				by := scale
				if h.Layer == 0 {
					by = 1
				}
				require.InEpsilon(t, h.Variance, h.Dots*by*by, 1e-6)
				require.Positive(t, h.Dots)
				require.Greater(t, h.Largest, 1-h.Slope-1e-9, "Σα² is at most the largest weight")
				require.LessOrEqual(t, h.Share, 1+1e-9)
			}
		})
	}
}

// What has no scores says so.
func TestNoScoresToMeasure(t *testing.T) {
	for assignments, want := range map[string]string{
		"tme9-mean":                     "the model compares no words: it has no scores",
		"tme9-lstm-mean":                "the model compares no words: it has no scores",
		"tme9-lstm members=2":           "each of its 2 networks has scores of its own: those of a run with members=1 can be measured",
		"tme9-simple attention=uniform": "the model compares no words: it has no scores",
		"tme9-simple data.max_len=1":    "none of the 4 reviews has two words that the model could compare",
	} {
		t.Run(assignments, func(t *testing.T) {
			t.Parallel()
			list := strings.Fields(assignments)
			run, pool := train(t, list[0], append(list[1:], "epochs=1", "data.limit=2")...)
			m, err := infer.Open(run, pool)
			require.NoError(t, err)
			defer m.Close()
			corpus, err := m.OpenCorpus(t.Context(), t.TempDir(), "sample", open.Options{})
			require.NoError(t, err)
			_, err = m.ScoreSpreads(t.Context(), corpus, dataset.Test, 2, nil)
			var lacks *infer.LookError
			require.ErrorAs(t, err, &lacks)
			require.EqualError(t, err, want)
		})
	}
}
