package runs_test

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// answered trains a run whose accuracy follows from its predictions: 50 % of two reviews.
func answered(t *testing.T, assignments ...string) *runs.Run {
	t.Helper()
	dir, c := t.TempDir(), config(t, append([]string{"epochs=1"}, assignments...)...)
	c.Data.Test.Reviews = 2
	w, err := runs.Create(dir, c, environment())
	require.NoError(t, err)
	m := runs.Metrics{Epoch: 1, TrainLoss: new(0.25), TestAcc: new(50.0), TestEntropy: new(1.5), TestMacroF1: new(runs.MacroF1([]int{1, 0}, []int{3, 1})), TestLoss: new(0.836988216)}
	if c.General().TestsAtEnd(1) {
		require.NoError(t, w.Epoch(runs.Metrics{Epoch: 1, TrainLoss: new(0.25)}, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
		require.NoError(t, w.Tested(runs.Metrics{Epoch: 1, TestAcc: m.TestAcc, TestEntropy: m.TestEntropy, TestMacroF1: m.TestMacroF1, TestLoss: m.TestLoss}))
	} else {
		require.NoError(t, w.Epoch(m, runs.Timing{Epoch: 1}, []runs.Histogram{runs.NewHistogram(1, "test", nil)}, &runs.Checkpoint{Epoch: 1}, false))
	}
	require.NoError(t, w.Finish(&runs.Predictions{Classes: c.Classes, Rows: []runs.Prediction{
		{Review: "a", Label: 0, Predicted: 0, Words: 2, Entropy: float32(math.NaN()), P: []float32{0.75, 0.25}},
		{Review: "b", Label: 1, Predicted: 0, Words: 2, Entropy: float32(math.NaN()), P: []float32{0.75, 0.25}},
	}}))
	require.NoError(t, w.Close())
	r, err := runs.Lookup(dir, &c)
	require.NoError(t, err)
	return r
}

// With test=last every metric of the test set comes from test.json: none is copied by name.
func TestTestedHasEveryMetric(t *testing.T) {
	m, err := answered(t, "test=last").Chosen()
	require.NoError(t, err)
	require.Equal(t, runs.Metrics{Epoch: 1, TrainLoss: new(0.25), TestAcc: new(50.0), TestEntropy: new(1.5), TestMacroF1: new(runs.MacroF1([]int{1, 0}, []int{3, 1})), TestLoss: new(0.836988216)}, m)
}

// Damage that is still JSON, or still a table, is damage: no changed number is a result.
func TestChangedResults(t *testing.T) {
	for _, c := range []struct{ set, file, from, to, want string }{
		{"test=each", "metrics.jsonl", `"test_acc":50`, `"test_acc":60`, "metrics.jsonl is damaged: test_acc of epoch 1 is 60, but predictions.tsv gives 50"},
		{"test=last", "test.json", `"test_acc":50`, `"test_acc":51`, "test.json is damaged: test_acc of epoch 1 is 51"},
		{"test=each", "predictions.tsv", "b\tpos\tneg", "b\tpos\tpos", "test_acc of epoch 1 is 50, but predictions.tsv gives 100"},
		{"test=each", "metrics.jsonl", `"test_loss":0.8`, `"test_loss":0.9`, "test_loss of epoch 1 is 0.936988216, but predictions.tsv gives 0.83698821"},
		{"test=last", "test.json", `"test_macro_f1":3`, `"test_macro_f1":4`, "test_macro_f1 of epoch 1 is 43.3"},
		{"test=each", "metrics.jsonl", `"test_acc"`, `"test_acd"`, `unknown field "test_acd"`},
		{"test=each", "metrics.jsonl", `"test_acc"`, `"Test_acc"`, `unknown field "Test_acc"`},
		{"test=each", "metrics.jsonl", `"test_macro_f1"`, `"test_micro_f1"`, `unknown field "test_micro_f1"`},
		{"test=each", "metrics.jsonl", `"valid_acc"`, `"valid_los"`, `unknown field "valid_los"`},
		{"test=each", "metrics.jsonl", `"valid_acc"`, `"train_acc"`, `the field "valid_acc" is missing`},
		{"test=each", "metrics.jsonl", `0.25`, `25e-`, "metrics.jsonl:1: "},
		{"test=each", "metrics.jsonl", `50,`, `5e1`, "metrics.jsonl:1: "},
		{"test=last", "test.json", `"test_acc"`, `"test_acd"`, `unknown field "test_acd"`},
		{"test=each", "entropy.jsonl", `"counts"`, `"countz"`, `unknown field "countz"`},
		{"test=each", "environment.json", `"simd"`, `"sind"`, `unknown field "sind"`},
	} {
		t.Run(c.file+" "+c.to, func(t *testing.T) {
			r := answered(t, c.set)
			rewrite(t, filepath.Join(r.Path, c.file), func(b []byte) []byte {
				require.Contains(t, string(b), c.from)
				return bytes.Replace(b, []byte(c.from), []byte(c.to), 1)
			})
			r, err := runs.Open(r.Path)
			require.NoError(t, err)
			all := r.Check()
			require.Len(t, all, 1)
			require.ErrorContains(t, all[0], c.want)
			if c.file == "entropy.jsonl" || c.file == "environment.json" {
				return
			}
			require.True(t, runs.IsDamage(all[0]))
			_, err = r.Chosen()
			require.ErrorContains(t, err, c.want)
			_, err = r.Citation()
			require.Error(t, err)
		})
	}
}
