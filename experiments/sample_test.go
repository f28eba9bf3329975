package experiments_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// The models differ on the sample: on the mean of two seeds (five with EXP_CI=1) each model is at least
// three points better than the one before, and an LSTM five points better than a bag of words.
func TestSampleTellsTheModelsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: trains twenty runs")
	}
	r, seeds := testrun.Runner(t, t.TempDir(), 1), 2
	if testrun.Long() {
		seeds = 5
	}
	mean := func(name string, more ...string) float64 {
		sum := 0.0
		for seed := 1; seed <= seeds; seed++ {
			run := testrun.Train(t, r, testrun.Plan(t, name, append(more, "data=sample", fmt.Sprintf("seed=%d", seed))...))
			m := must.Get(run.Chosen())(t)
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
	require.GreaterOrEqual(t, before, mean("bow-lr", "ngrams=1")+5)
}

// Every experiment learns on the sample, with every optimiser and as the published code
// ran; but for a norm over the reviews of a batch, of which exp run says at its end that
// it stands in the way.
func TestSampleIsLearned(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 1)
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
				p := testrun.Plan(t, e.Name, "data=sample", "optimizer="+optimizer, "variant="+variant)
				least, most := 55.0, 0.69
				if p.Task().Kind() == runs.Texts { // guessing has a loss of 6.91
					if least, most = 3, 6.7; optimizer != "adam" {
						continue
					}
				}
				trainStart(t, r, p, "data=sample")
				run := testrun.Train(t, r, p)
				m := must.Get(run.Chosen())(t)
				require.Greater(t, *m.TestAcc, least, "%s %s %s", e.Name, optimizer, variant)
				require.Less(t, *m.TestLoss, most, "%s %s %s", e.Name, optimizer, variant)
			}
		}
	}
}
