package claims_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/claims"
	"imdbexp/runs"
)

// What exp probe has kept decides. Of 100 pairs nbsvm loses 50 and the LSTM none: d is 1 or 0, half each,
// its variance 0.25·100/99, and Student's quantile of 99 degrees of freedom 1.984217: 50 ± 9.97.
func TestClaimsOnPairs(t *testing.T) {
	dir := t.TempDir()
	data := reporttest.IMDB
	data.Train.Reviews = 22505
	add := func(name string, seed int, more ...string) *runs.Run {
		return reporttest.Run{
			Name: name, Variant: "default", Set: []string{"optimizer=adam", fmt.Sprint("seed=", seed)}, Data: data,
			User:        append([]string{"data.exclude=minimal", "test=last"}, more...),
			Predictions: reporttest.Predicted(200, func(i int) bool { return i < 160+seed }),
		}.Add(t, dir)
	}
	// Rewritings below right are answered rightly, originals all; a set of contrasts does not count.
	answer := func(r *runs.Run, digest string, right int) {
		p := &runs.Predictions{Classes: []string{"neg", "pos"}}
		for i := range 100 {
			for _, text := range []string{"original", "rewritten"} {
				row := runs.Prediction{Review: fmt.Sprintf("cad_test/%05d/%s", i, text), Label: 1, Predicted: 1, P: []float32{0, 1}}
				if text == "rewritten" && i >= right {
					row.Predicted, row.P = 0, []float32{1, 0}
				}
				p.Rows = append(p.Rows, row, runs.Prediction{Review: fmt.Sprintf("cs_test/%05d/%s", i, text), Label: 1, Predicted: 0, P: []float32{1, 0}})
			}
		}
		require.NoError(t, r.WriteProbe(runs.ProbeAnswers{Probe: "minimal", Digest: digest}, p))
	}
	const digest = "2078f73cd9e0"
	nbsvm, lstm, simple := add("nbsvm", 1), add("tme9-lstm", 1, "epochs=12"), add("tme9-simple", 1)
	answer(nbsvm, digest, 50)
	answer(lstm, "0123456789ab", 100)
	v := verdict(t, check(t, nbsvm, lstm, simple), "N-gram models lose more", "default")
	assert.Equal(t, claims.NotRun, v.Verdict, "the answers are to other pairs")
	assert.Equal(t, [][]string{{"probe", lstm.Config.ShortID(), "--on", "minimal"}, {"probe", simple.Config.ShortID(), "--on", "minimal"}}, v.Missing)

	answer(lstm, digest, 100)
	answer(simple, digest, 60)
	v = verdict(t, check(t, nbsvm, lstm, simple), "N-gram models lose more", "default")
	assert.Equal(t, claims.Holds, v.Verdict)
	assert.Contains(t, v.Numbers, "tme9-lstm adam epochs=12 − nbsvm: +50.00 points (+40.03 to +59.97), 1 and 1 seeds")
	assert.Contains(t, v.Numbers, "tme9-simple adam − nbsvm: +10.00 points (+4.02 to +15.98)")

	mean := add("tme9-mean", 1)
	v = verdict(t, check(t, nbsvm, lstm, simple), "mean of the same vectors", "default")
	assert.Equal(t, [][]string{{"run", "tme9-mean", "optimizer=adam", "data.exclude=minimal"}}, v.Missing)
	answer(mean, digest, 40) // at most 49.8 by Wilson's interval
	v = verdict(t, check(t, mean, lstm, simple), "mean of the same vectors", "default")
	assert.Equal(t, claims.Holds, v.Verdict)
	assert.Contains(t, v.Numbers, "tme9-mean adam on rewritings: 40.00 (30.94 to 49.80)")
	v = verdict(t, check(t, mean, lstm, simple), "N-gram models lose more", "default")
	assert.Equal(t, [][]string{{"run", "nbsvm", "data.exclude=minimal"}}, v.Missing)

	// Seeds that both sides have are paired: a constant difference has an interval over pairs alone.
	var all []*runs.Run
	for seed := 1; seed <= 3; seed++ {
		learned := lstm
		if seed > 1 {
			learned = add("tme9-lstm", seed, "epochs=12")
		}
		uniform := reporttest.Run{
			Name: "tme9-lstm", Variant: "default", Set: []string{"optimizer=adam", fmt.Sprint("seed=", seed), "attention=uniform"},
			User: []string{"data.exclude=minimal", "test=last", "epochs=12", "attention=uniform"}, Data: data,
		}.Add(t, t.TempDir())
		answer(learned, digest, 70+5*seed)
		answer(uniform, digest, 60+5*seed)
		all = append(all, learned, uniform)
	}
	v = verdict(t, check(t, all...), "Learned attention beats", "default")
	assert.Equal(t, claims.Holds, v.Verdict)
	assert.Contains(t, v.Numbers, "attention=uniform: +10.00 points (+")
	assert.Contains(t, v.Numbers, "3 and 3 seeds")
}
