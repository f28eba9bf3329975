package report_test

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

// rises is a test accuracy that comes to an end after some epochs.
func rises(to float64, after int) []float64 {
	out := make([]float64, after)
	for i := range out {
		out[i] = 50
	}
	return append(out, to)
}

// Both verdicts of the claims on the course of training. The fixture's curves: loss on
// train 0.1 + 0.6/n, accuracy on train 96 − 30/n, entropies on test 4.9 − 0.1n.
func TestClaimsOnThePaceOfTraining(t *testing.T) {
	run := func(name, optimizer string, epochs int, test []float64, user ...string) reporttest.Run {
		return reporttest.Run{
			Name: name, User: user, Test: test,
			Set:         []string{"optimizer=" + optimizer, "lr=" + map[string]string{"adam": "0.001", "sgd": "0.01"}[optimizer], fmt.Sprint("epochs=", epochs)},
			Predictions: reporttest.Predicted(2000, func(i int) bool { return i%10 != 0 }),
		}
	}
	better := func(r reporttest.Run) reporttest.Run {
		r.Predictions = reporttest.Predicted(2000, func(i int) bool { return i%20 != 0 })
		return r
	}
	few := func(r reporttest.Run) reporttest.Run {
		r.User, r.Data = []string{"data.train=6250"}, reporttest.IMDB
		r.Data.Train.Reviews = 6250
		return r
	}
	names := []string{"tme9-mean", "tme9-simple", "tme9-values", "tme9-lstm"}
	each := func(optimizer string, epochs, after int) (out []reporttest.Run) {
		for _, name := range names {
			out = append(out, run(name, optimizer, epochs, rises(80, after)))
		}
		return out
	}
	falling := each("sgd", 32, 0)[1:] // simple, values, LSTM
	short := []reporttest.Run{run("tme9-values", "sgd", 4, nil), run("tme9-lstm", "sgd", 4, nil)}
	rate := func(optimizer, lr string, accuracy float64) reporttest.Run {
		return run("tme9-simple", optimizer, 4, []float64{accuracy}, "lr="+lr)
	}
	both := func(adam, sgd float64) []reporttest.Run {
		return []reporttest.Run{
			run("tme9-simple", "adam", 4, []float64{80}), run("tme9-simple", "sgd", 4, []float64{80}),
			rate("adam", "0.0001", 80), rate("adam", "0.01", adam), rate("sgd", "0.001", sgd), rate("sgd", "0.1", 80),
		}
	}
	moves := func(far float64, user ...string) reporttest.Run {
		r := run("tme10-self", "adam", 4, []float64{70, 70, 70 + far, 70}, user...)
		r.Set = append(r.Set, "batch=16")
		return r
	}
	seldom := []reporttest.Run{run("tme10-cls", "adam", 4, []float64{90}, "test.every=5"), run("tme10-cls-pe", "adam", 4, []float64{60}, "test.every=5")}
	seldom[1].Predictions = reporttest.Predicted(2000, func(i int) bool { return i%10 < 6 })
	longer := func(r reporttest.Run) reporttest.Run { r.User, r.Epochs = []string{"epochs=200"}, 4; return r }
	flat := func(optimizer string, user ...string) reporttest.Run { // 81 % on train, and its test loss rises by 0.01
		return run("tme9-mean", optimizer, 2, []float64{80}, user...)
	}
	made := map[string]*runs.Run{} // what several cases have
	for _, c := range []struct {
		quote string
		want  claims.Verdict
		runs  []reporttest.Run
	}{
		{"fall mainly", claims.Holds, falling},
		{"fall mainly", claims.Fails, append(falling[:2:2], run("tme9-lstm", "sgd", 65, nil))},
		{"fall mainly", claims.Undecided, append(falling[:2:2], short[1])},
		{"not converged", claims.Holds, falling},
		{"not converged", claims.Fails, []reporttest.Run{run("tme9-values", "sgd", 95, nil)}},
		{"not converged", claims.Undecided, short},
		{"Longer training", claims.Holds, append(short[:2:2], better(longer(short[0])), better(longer(short[1])))},
		{"Longer training", claims.Undecided, append(short[:2:2], longer(short[0]), longer(short[1]))},
		{"Longer training", claims.NotRun, short},
		{"data are few", claims.Holds, []reporttest.Run{run("tme9-lstm", "adam", 9, []float64{85}), few(run("tme9-lstm", "adam", 9, []float64{80}))}},
		{"data are few", claims.Fails, []reporttest.Run{run("tme9-lstm", "adam", 9, []float64{85}), few(run("tme9-lstm", "adam", 9, []float64{86}))}},
		{"data are few", claims.NotRun, []reporttest.Run{run("tme9-lstm", "adam", 9, []float64{85})}},
		{"With Adam the LSTM overfits", claims.NotRun, []reporttest.Run{few(run("tme9-lstm", "adam", 9, []float64{80}))}},
		{"converges faster", claims.Holds, append(each("adam", 10, 2), each("sgd", 10, 6)...)},
		{"converges faster", claims.Fails, append(each("adam", 10, 6), each("sgd", 10, 2)...)},
		{"converges faster", claims.Undecided, append(each("adam", 10, 4), each("sgd", 10, 5)...)},
		{"less sensitive", claims.Holds, both(79, 60)},
		{"less sensitive", claims.Fails, both(60, 79)},
		{"less sensitive", claims.Undecided, both(75, 75.5)},
		{"less sensitive", claims.NotRun, both(79, 60)[1:]},
		{"Batches of 16", claims.Holds, []reporttest.Run{moves(5), moves(1, "batch=64")}},
		{"Batches of 16", claims.Fails, []reporttest.Run{moves(1), moves(5, "batch=64")}},
		// When test was looked at changes no end; what goes by single epochs needs all of them.
		{"collapses", claims.Holds, seldom},
		{"collapses", claims.Fails, []reporttest.Run{seldom[0], run("tme10-cls-pe", "adam", 4, []float64{90}, "test=last")}},
		{"Without positions", claims.NotRun, []reporttest.Run{moves(5, "test.every=2")}},
		{"mean model does not overfit", claims.Fails, []reporttest.Run{run("tme9-mean", "adam", 4, []float64{70}, "test.every=2"), run("tme9-mean", "sgd", 4, []float64{70}, "test.every=2", "test.tail=1")}},
		{"mean model does not overfit", claims.Holds, []reporttest.Run{flat("adam"), flat("sgd")}},
		{"mean model does not overfit", claims.Undecided, []reporttest.Run{flat("adam"), flat("sgd", "test.every=4")}},
		{"mean model does not overfit", claims.NotRun, []reporttest.Run{run("tme9-mean", "adam", 4, []float64{70}), run("tme9-mean", "sgd", 4, []float64{70}, "test=last")}},
	} {
		var list []*runs.Run
		for _, r := range c.runs {
			key := fmt.Sprint(r.Name, r.Set, r.User, r.Test, r.Data)
			if made[key] == nil || r.Epochs > 0 {
				made[key] = r.New(t)
			}
			list = append(list, made[key])
		}
		v := verdict(t, check(t, list...), c.quote, "default")
		assert.Equal(t, c.want, v.Verdict, "%s: %s", c.quote, v.Numbers)
		assert.Equal(t, c.want == claims.NotRun, len(v.Missing) > 0, "%s: %s", c.quote, v.Missing)
	}
	v := verdict(t, check(t), "less sensitive", "original")
	assert.Contains(t, v.Missing, []string{"run", "tme9-simple", "optimizer=sgd", "variant=original", "lr=0.001"})
}

// ended is a run of some epochs, whose entropies the fixture makes 4.9 − 0.1 an epoch.
func ended(t *testing.T, name string, epochs, seed int, acc float64, user ...string) *runs.Run {
	return reporttest.Run{
		Name: name, Set: []string{"optimizer=sgd", fmt.Sprint("epochs=", epochs)},
		User: append(user, fmt.Sprint("seed=", seed)), Epochs: epochs, Test: []float64{acc}, Predictions: reporttest.Predicted(2000, func(i int) bool { return float64(i%100) < acc }),
	}.New(t)
}

// An entropy as near to the threshold as can be seen is undecided, on either side.
func TestEntropyNearZero(t *testing.T) {
	values := ended(t, "tme9-values", 4, 1, 80)
	for epochs, want := range map[int]claims.Verdict{46: claims.Holds, 45: claims.Undecided, 44: claims.Undecided, 42: claims.Fails} {
		v := verdict(t, check(t, values, ended(t, "tme9-entropy", epochs, 1, 60)), "drives the entropies", "default")
		assert.Equal(t, want, v.Verdict, v.Numbers)
	}
}

// 55.03 on 25 000 reviews is 54.41 to 55.65 by Wilson's interval, which holds 55; 56 is not.
// Two seeds far apart say less than their reviews do.
func TestUsefulUndecided(t *testing.T) {
	of := func(own, more []*runs.Run) claims.VariantVerdict {
		list := append([]*runs.Run{ended(t, "tme9-values", 4, 1, 80), ended(t, "tme9-entropy", 4, 1, 80, "lambda=0.0064")}, own...)
		return verdict(t, check(t, append(list, more...)...), "only useful value", "default")
	}
	good := []*runs.Run{ended(t, "tme9-entropy", 46, 1, 66)}
	high := func(acc float64) []*runs.Run { return []*runs.Run{ended(t, "tme9-entropy", 46, 1, acc, "lambda=0.64")} }
	v := of(good, high(54))
	assert.Equal(t, claims.Holds, v.Verdict, v.Numbers)
	v = of(good, high(55.03))
	assert.Equal(t, claims.Undecided, v.Verdict)
	assert.Contains(t, v.Numbers, "accuracy 55.03 (54.41 to 55.65)")
	assert.Equal(t, claims.Fails, of(good, high(56)).Verdict)
	v = of([]*runs.Run{ended(t, "tme9-entropy", 46, 1, 60), ended(t, "tme9-entropy", 46, 2, 72)}, high(54))
	assert.Equal(t, claims.Undecided, v.Verdict)
	assert.Contains(t, v.Numbers, "accuracy 66.00 (0.00 to 100.00)", "12.706 · 8.485/√2 is 76.2")
	v = of([]*runs.Run{ended(t, "tme9-entropy", 26, 1, 66)}, high(54))
	assert.Equal(t, claims.Undecided, v.Verdict, "2.3 nats are the half of 4.5 and 0.05")
}

// What exp probe has kept decides. Of 100 pairs nbsvm loses 50 and the LSTM none: d is 1 or 0, half each,
// its variance 0.25·100/99, and Student's quantile of 99 degrees of freedom 1.984217: 50 ± 9.97.
func TestClaimsOnPairs(t *testing.T) {
	data := reporttest.IMDB
	data.Train.Reviews = 22505
	add := func(name string, seed int, more ...string) *runs.Run {
		return reporttest.Run{
			Name: name, Set: []string{"optimizer=adam", fmt.Sprint("seed=", seed)}, Data: data,
			User:        append([]string{"data.exclude=minimal", "test=last"}, more...),
			Predictions: reporttest.Predicted(200, func(i int) bool { return i < 160+seed }),
		}.New(t)
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
		require.NoError(t, r.WriteProbe(runs.ProbeKey{Probe: "minimal", Digest: digest}, p))
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
			Name: "tme9-lstm", Set: []string{"optimizer=adam", fmt.Sprint("seed=", seed), "attention=uniform"},
			User: []string{"data.exclude=minimal", "test=last", "epochs=12", "attention=uniform"}, Data: data,
		}.New(t)
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
	add := func(name string, seed int) *runs.Run {
		return reporttest.Run{
			Name: name, Set: []string{"optimizer=adam"}, User: []string{fmt.Sprint("seed=", seed), "epochs=4", "test=last"}, Epochs: 4,
			Predictions: reporttest.Predicted(200, func(int) bool { return true }),
		}.New(t)
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
