package claims_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/claims"
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
			Name: name, Variant: "default", User: user, Data: reporttest.IMDB, Test: test,
			Set:         []string{"optimizer=" + optimizer, "lr=" + map[string]string{"adam": "0.001", "sgd": "0.01"}[optimizer], fmt.Sprint("epochs=", epochs)},
			Predictions: reporttest.Predicted(2000, func(i int) bool { return i%10 != 0 }),
		}
	}
	better := func(r reporttest.Run) reporttest.Run {
		r.Predictions = reporttest.Predicted(2000, func(i int) bool { return i%20 != 0 })
		return r
	}
	few := func(r reporttest.Run) reporttest.Run {
		r.User = []string{"data.train=6250"}
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
				made[key] = r.Add(t, t.TempDir())
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
		Name: name, Variant: "default", Set: []string{"optimizer=sgd", fmt.Sprint("epochs=", epochs)}, User: append(user, fmt.Sprint("seed=", seed)),
		Data: reporttest.IMDB, Epochs: epochs, Test: []float64{acc}, Predictions: reporttest.Predicted(2000, func(i int) bool { return float64(i%100) < acc }),
	}.Add(t, t.TempDir())
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
