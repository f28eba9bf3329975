package claims_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/claims"
	"imdbexp/report/stats"
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

// What exp explain has found decides, of several seeds the mean over them; what nobody has
// asked it yet is a command.
func TestClaimsOnWhatExplains(t *testing.T) {
	dir := t.TempDir()
	add := func(name string, seed int) *runs.Run {
		return reporttest.Run{
			Name: name, Variant: "default", Set: []string{"optimizer=adam"}, User: []string{fmt.Sprint("seed=", seed), "epochs=4", "test=last"},
			Data: reporttest.IMDB, Epochs: 4, Predictions: reporttest.Predicted(200, func(int) bool { return true }),
		}.Add(t, dir)
	}
	additive := []*runs.Run{add("additive", 1), add("additive", 2), add("additive", 3)}
	v := verdict(t, check(t, additive...), "frequently uncorrelated", "default")
	assert.Equal(t, claims.NotRun, v.Verdict)
	words := []string{"explain"}
	for _, r := range additive {
		words = append(words, r.Config.ShortID())
	}
	assert.Equal(t, [][]string{append(words, "--tests", "agreement", "--out", "explained")}, v.Missing)

	found := func(r *runs.Run, reviews int, share, tau float64) claims.Explained {
		number := func(statistic, of, part string, x float64) claims.ExplainedValue {
			return claims.ExplainedValue{Statistic: statistic, Of: of, Part: part, Reviews: reviews, Value: x, Low: x - 0.01, High: x + 0.01, Within: stats.Interval{Low: -1, High: 1}}
		}
		return claims.Explained{Run: r.Config.ID, Test: "agreement", Values: []claims.ExplainedValue{
			number("significant", "gradient × input", "", share), number("τ", "gradient × input", "", tau), number("τ", "leave one out", "", tau+0.2),
			number("τ by part", "gradient × input", "predicted neg", tau), number("τ by part", "gradient × input", "predicted pos", tau),
		}}
	}
	checked := func(list []*runs.Run, told ...claims.Explained) claims.List {
		out, err := claims.Check(list, told...)
		assert.NoError(t, err)
		return out
	}
	one := checked(additive, found(additive[1], 60, 0.9, 0.29), found(additive[0], 200, 0.97, 0.3), found(additive[0], 60, 0.1, 0.9))
	assert.Equal(t, claims.Undecided, verdict(t, one, "only weakly", "default").Verdict, "two seeds say little")
	one = checked([]*runs.Run{additive[0], additive[1], additive[0]}, found(additive[0], 200, 0.97, 0.3))
	assert.Contains(t, verdict(t, one, "frequently uncorrelated", "default").Numbers, "(1 seed, 200 reviews)", "a run named twice is one")
	one = checked(additive, found(additive[0], 200, 0.97, 0.3), found(additive[0], 60, 0.1, 0.9))
	v = verdict(t, one, "frequently uncorrelated", "default")
	assert.Equal(t, claims.Fails, v.Verdict)
	assert.Equal(t, "additive adam (1 seed, 200 reviews): share of reviews 0.97 (0.96 to 0.98)", v.Numbers, "that of the most reviews")
	v = verdict(t, one, "only weakly", "default")
	assert.Equal(t, claims.Undecided, v.Verdict, "leaving out is at 0.5")
	v = verdict(t, one, "Gradients and leaving out", "default")
	assert.Equal(t, claims.NotRun, v.Verdict, "it has no such number")
	assert.Len(t, v.Missing, 1)

	// Student's interval by hand: 0.2, 0.3 and 0.4 have a standard error of 0.1/√3, t is 4.303.
	three := checked(additive, found(additive[0], 200, 1, 0.2), found(additive[1], 200, 1, 0.3), found(additive[2], 200, 1, 0.4))
	assert.Contains(t, verdict(t, three, "only weakly", "default").Numbers, "additive adam (3 seeds, 200 reviews): τ with gradient × input 0.30 (0.05 to 0.55), called negative 0.30")

	// No share is above 1, and none of seeds that differ.
	three = checked(additive, found(additive[0], 200, 0.9, 0.2), found(additive[1], 200, 0.95, 0.3), found(additive[2], 200, 0.98, 0.4))
	assert.Contains(t, verdict(t, three, "frequently uncorrelated", "default").Numbers, "share of reviews 0.94 (0.84 to 1.00)")

	// Seeds that agree have no interval of their own, and the one over the reviews that all were asked.
	three = checked(additive, found(additive[0], 200, 1, 0.3), found(additive[1], 200, 1, 0.3), found(additive[2], 200, 1, 0.3))
	assert.Contains(t, verdict(t, three, "only weakly", "default").Numbers, "additive adam (3 seeds, 200 reviews): τ with gradient × input 0.30 (0.29 to 0.31)")

	simple := add("tme9-simple", 1)
	v = verdict(t, checked(append(additive, simple), found(additive[0], 200, 1, 0.3), found(simple, 500, 1, 0.32)), "Where words are averaged", "default")
	assert.Equal(t, claims.Holds, v.Verdict, "0.02 is more than √2 × 0.01")
	v = verdict(t, checked(append(additive, simple), found(additive[0], 200, 1, 0.3), found(simple, 500, 1, 0.31)), "Where words are averaged", "default")
	assert.Equal(t, claims.Undecided, v.Verdict)
	v = verdict(t, checked([]*runs.Run{simple}, found(simple, 500, 1, 0.31)), "Where words are averaged", "default")
	assert.Equal(t, [][]string{{"run", "additive", "optimizer=adam"}}, v.Missing)
	nothing := found(additive[0], 200, math.NaN(), math.NaN())
	assert.NotEqual(t, claims.Holds, verdict(t, checked(additive, nothing), "only weakly", "default").Verdict)
}
