package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// TestPipeIsNeverQuietForLong steps through epochs of five minutes.
func TestPipeIsNeverQuietForLong(t *testing.T) {
	var out strings.Builder
	e, err := experiments.Lookup("tme9-lstm")
	require.NoError(t, err)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", []string{"epochs=2"})
	require.NoError(t, err)
	w := NewRun(term.New(&out, &out, 0, false), p)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w.now = func() time.Time { return clock }
	h := w.Hooks()
	h.Started(training.Started{Plan: p, Config: &runs.Config{}})
	for epoch := 1; epoch <= 2; epoch++ {
		for i := 1; i <= 100; i++ {
			clock = clock.Add(3 * time.Second)
			h.Step(training.Step{Epoch: epoch, Epochs: 2, Done: 10 * i, Total: 1000, Loss: 0.5})
		}
		loss := 0.4
		h.Epoch(runs.Metrics{Epoch: epoch, TrainLoss: &loss}, runs.Timing{Words: 1234567})
	}
	w.Stop()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Equal(t, []string{
		"0 reviews to train on, 0 to test; 0 weights",
		"tme9-lstm epoch 1/2: 20 %, loss 0.5000, 8:33 min left",
		"tme9-lstm epoch 1/2: 40 %, loss 0.5000, 7:48 min left",
		"tme9-lstm epoch 1/2: 60 %, loss 0.5000, 6:53 min left",
		"tme9-lstm epoch 1/2: 80 %, loss 0.5000, 5:55 min left",
		"tme9-lstm epoch 1/2: 100 %, loss 0.5000, 4:57 min left",
		"epoch 1/2  train loss 0.4000 acc – %  1.23 M words/s  4:57 min left",
	}, lines[:7])
	require.Equal(t, "epoch 2/2  train loss 0.4000 acc – %  1.23 M words/s  0.0 s left", lines[len(lines)-1])
}

// The time left is of the steps that this session makes, not of those there were.
func TestLeftOfResumed(t *testing.T) {
	var out strings.Builder
	e, err := experiments.Lookup("tme9-lstm")
	require.NoError(t, err)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", []string{"epochs=2"})
	require.NoError(t, err)
	w := NewRun(term.New(&out, &out, 0, false), p)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w.now = func() time.Time { return now }
	h := w.Hooks()
	h.Started(training.Started{Plan: p, Config: &runs.Config{}, From: 1, Step: 1500, Origin: "resumed"})
	for _, done := range []int{500, 600} { // a tenth of the epoch in two minutes
		h.Step(training.Step{Epoch: 2, Epochs: 2, Done: done, Total: 1000, Loss: 0.5})
		now = now.Add(2 * time.Minute)
	}
	h.Step(training.Step{Epoch: 2, Epochs: 2, Done: 700, Total: 1000, Loss: 0.5})
	require.Contains(t, out.String(), "continues after epoch 1 and 1 500 steps\n")
	require.Contains(t, out.String(), "epoch 2/2: 70 %, loss 0.5000, 6:00 min left\n")
}

// What comes before the first step is not silent, and how much there is is said once.
func TestNgramsBesideTheNetwork(t *testing.T) {
	var out strings.Builder
	e, err := experiments.Lookup("best")
	require.NoError(t, err)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", nil)
	require.NoError(t, err)
	w := NewRun(term.New(&out, &out, 0, false), p)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w.now = func() time.Time { return now }
	h := w.Hooks()
	h.Started(training.Started{Plan: p, Config: &runs.Config{}, Weights: 7})
	for i, what := range []string{"finding", "one", "two"} {
		h.Fit(training.Fit{What: what, Done: i, Total: 3})
		now = now.Add(40 * time.Second)
	}
	h.Fit(training.Fit{What: "fitted", Done: 3, Total: 3, Weights: 1081969})
	h.Started(training.Started{Plan: p, Config: &runs.Config{}, Weights: 7, Beside: 1081969})
	require.Equal(t, []string{
		"0 reviews to train on, 0 to test; 7 weights",
		"best: finding", "best: two",
		"and 1 081 969 weights of n-grams",
		"0 reviews to train on, 0 to test; 7 weights, and 1 081 969 of n-grams",
	}, lines(out.String()))
}

// lines returns the lines of a text without the indents of those that were broken.
func lines(text string) []string {
	var out []string
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}
