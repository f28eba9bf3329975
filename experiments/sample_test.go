package experiments_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/experiments"
	"imdbexp/internal/testkit/testrun"
)

// The sample is there for the models to differ: on the mean of five seeds (of two, where
// time is short) each step up is worth three points at least, and counting words is no
// match for reading them in order.
func TestSampleTellsTheModelsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: trains twenty runs")
	}
	r, seeds := testrun.Runner(t, t.TempDir(), 2), 2
	if testrun.Long() {
		seeds = 5
	}
	mean := func(name string) float64 {
		sum := 0.0
		for seed := 1; seed <= seeds; seed++ {
			run := testrun.Train(t, r, testrun.Plan(t, name, "data=sample", fmt.Sprintf("seed=%d", seed)))
			m, err := run.Chosen()
			require.NoError(t, err)
			sum += *m.TestAcc
		}
		return sum / float64(seeds)
	}
	before := mean("tme9-mean")
	for _, name := range []string{"tme9-simple", "tme9-values", "tme9-lstm"} {
		acc := mean(name)
		t.Logf("%s: %.1f after %.1f", name, acc, before)
		require.GreaterOrEqual(t, acc, before+3, name)
		before = acc
	}
	bag := bagOfWords(t)
	t.Logf("bag of words: %.1f", bag)
	require.GreaterOrEqual(t, before, bag+5)
}

// Every experiment learns on the sample, with every optimiser and as the published code
// ran; but for a norm over the reviews of a batch, of which exp run says at its end that
// it stands in the way.
func TestSampleIsLearned(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 2)
	quick := []string{"tme9-mean", "tme9-values", "tme9-entropy"} // a second, where all take a minute
	for _, e := range slices.Concat(experiments.Families...) {
		if len(e.Sample) == 0 || !testrun.Long() && !slices.Contains(quick, e.Name) {
			continue
		}
		for _, variant := range []string{"default", "original"} {
			if variant == "original" && (len(e.Original) == 0 || e.Group == "tme10") {
				continue
			}
			for _, optimizer := range []string{"adam", "adamw", "sgd"} {
				if optimizer == "adamw" && !testrun.Long() { // Adam, but for what decays
					continue
				}
				run := testrun.Train(t, r, testrun.Plan(t, e.Name, "data=sample", "optimizer="+optimizer, "variant="+variant))
				m, err := run.Chosen()
				require.NoError(t, err)
				require.Greater(t, *m.TestAcc, 55.0, "%s %s %s", e.Name, optimizer, variant)
				require.Less(t, *m.TestLoss, 0.69, "%s %s %s", e.Name, optimizer, variant)
			}
		}
	}
}

// bagOfWords is the test accuracy, in percent, of a logistic regression on word
// counts, the best of three penalties.
func bagOfWords(t *testing.T) float64 {
	c, err := folder.Corpus(context.Background(), t.TempDir(), "sample", folder.Options{})
	require.NoError(t, err)
	best := 0.0
	for _, penalty := range []float64{1e-4, 1e-3, 1e-2} {
		w := make([]float64, c.Vocab.Len()+1)
		score := func(s *dataset.Split, b int) float64 {
			z := w[len(w)-1]
			for _, id := range s.Words(b) {
				z += w[id]
			}
			return z
		}
		for epoch := range 60 {
			rate := 0.02 / (1 + float64(epoch)/10)
			for _, b := range dataset.Shuffle(c.Train.Len(), 1, uint64(epoch)) {
				d := float64(c.Train.Labels[b]) - 1/(1+math.Exp(-score(&c.Train, int(b))))
				w[len(w)-1] += rate * d
				for _, id := range c.Train.Words(int(b)) {
					w[id] += rate * (d - penalty*w[id])
				}
			}
		}
		right := 0
		for b := range c.Test.Len() {
			if (score(&c.Test, b) > 0) == (c.Test.Labels[b] == 1) {
				right++
			}
		}
		best = max(best, 100*float64(right)/float64(c.Test.Len()))
	}
	return best
}
