package claims_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/claims"
	"imdbexp/runs"
)

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
