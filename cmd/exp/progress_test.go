package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// viewOf returns the display of the runs of some words in a pipe.
func viewOf(t *testing.T, out *strings.Builder, words ...string) *progress.View {
	t.Helper()
	plans, err := plan.Resolve(t.Context(), words, "sample")
	require.NoError(t, err)
	var labels []string
	if len(plans) > 1 {
		for i := range plans {
			labels = append(labels, string(rune('a'+i)))
		}
	}
	return progress.NewView(term.New(out, out, 0, false), plans, labels)
}

// TestPipeIsNeverQuietForLong steps through epochs of five minutes.
func TestPipeIsNeverQuietForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := viewOf(t, &out, "tme9-lstm", "epochs=2")
		h := w.Hooks(0)
		h.Started(training.Started{Config: &runs.Config{}})
		for epoch := 1; epoch <= 2; epoch++ {
			for i := 1; i <= 100; i++ {
				time.Sleep(3 * time.Second)
				h.Step(training.Step{Epoch: epoch, Epochs: 2, Done: 10 * i, Total: 1000, Loss: 0.5})
			}
			loss := 0.4
			h.Epoch(runs.Metrics{Epoch: epoch, TrainLoss: &loss}, runs.Timing{Words: 1234567})
		}
		w.Stop()
		lines := lines(out.String())
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
	})
}

// The time left is estimated from the steps of this session only.
func TestLeftOfResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := viewOf(t, &out, "tme9-lstm", "epochs=2")
		h := w.Hooks(0)
		h.Started(training.Started{Config: &runs.Config{}, From: 1, Step: 1500, Origin: "resumed"})
		for _, done := range []int{500, 600} { // a tenth of the epoch in two minutes
			h.Step(training.Step{Epoch: 2, Epochs: 2, Done: done, Total: 1000, Loss: 0.5})
			time.Sleep(2 * time.Minute)
		}
		h.Step(training.Step{Epoch: 2, Epochs: 2, Done: 700, Total: 1000, Loss: 0.5})
		require.Contains(t, out.String(), "continues after epoch 1 and 1 500 steps\n")
		require.Contains(t, out.String(), "epoch 2/2: 70 %, loss 0.5000, 6:00 min left\n")
	})
}

// Work before the first step is reported, with its size once.
func TestNgramsBesideTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := viewOf(t, &out, "best")
		h := w.Hooks(0)
		h.Started(training.Started{Config: &runs.Config{}, Weights: 7})
		for i, what := range []string{"finding", "one", "two"} {
			h.Fit(training.Fit{What: what, Done: i, Total: 3})
			time.Sleep(40 * time.Second)
		}
		h.Fit(training.Fit{What: "fitted", Done: 3, Total: 3, Weights: 1081969})
		h.Started(training.Started{Config: &runs.Config{}, Weights: 7, NGrams: 1081969})
		require.Equal(t, []string{
			"0 reviews to train on, 0 to test; 7 weights",
			"best: finding", "best: two",
			"and 1 081 969 weights of n-grams",
			"0 reviews to train on, 0 to test; 7 weights, and 1 081 969 of n-grams",
		}, lines(out.String()))
	})
}

// lines returns the lines of a text without the indents of those that were broken.
func lines(text string) (out []string) {
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

// A grid in a pipe prints a line a minute with the running runs. The time left is by the epochs of
// this session: those that were there, and runs that were finished, are not counted.
func TestGridInPipeIsNeverQuietForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		v := viewOf(t, &out, "tme9-lstm", "seed=1..4", "epochs=4")
		a, b := v.Hooks(0), v.Hooks(1)
		a.Started(training.Started{})
		b.Started(training.Started{From: 2})
		v.End(2, true, "c: finished before")
		for i := range 13 {
			a.Step(training.Step{Epoch: 1, Done: 10 * i, Total: 240})
			time.Sleep(10 * time.Second)
		}
		v.End(1, false, "b: failed")
		require.Equal(t, []string{
			"c: finished before",
			"1 of 4 done, 2 running, 39:00 min left; a epoch 1/4; b epoch 3/4",
			"1 of 4 done, 2 running, 38:00 min left; a epoch 1/4; b epoch 3/4",
			"b: failed",
		}, lines(out.String()))
		require.Equal(t, "a after epoch 0 of 4 and 50 % of the next", v.Stopped(0))
		require.Equal(t, "b before it started", v.Stopped(1))
		require.Equal(t, "d before it started", v.Stopped(3))
		v.Stop()
	})
}

// screen is what a terminal shows of text and the movements of a bar.
type screen struct {
	rows    []string
	columns int
}

func (s *screen) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		line = strings.TrimPrefix(line, "\r")
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			up, text, _ := strings.Cut(rest, "A\x1b[J")
			n, _ := strconv.Atoi(up)
			s.rows, line = s.rows[:len(s.rows)-n], text
		}
		if line == "" {
			continue
		}
		s.add(strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}

func (s *screen) add(text string) {
	runes := []rune(text)
	for ; len(runes) > s.columns; runes = runes[s.columns:] {
		s.rows = append(s.rows, string(runes[:s.columns]))
	}
	s.rows = append(s.rows, string(runes))
}

// narrow breaks the lines again, as most terminals do, or clips them.
func (s *screen) narrow(columns int, breaks bool) {
	rows := s.rows
	s.rows, s.columns = nil, columns
	for _, r := range rows {
		if runes := []rune(r); !breaks && len(runes) > columns {
			r = string(runes[:columns])
		}
		s.add(r)
	}
}

// A terminal that gets narrower keeps one bar, and the lines above it, unless it breaks the bar itself.
func TestBarInNarrowedTerminal(t *testing.T) {
	for _, c := range []struct {
		to     int
		breaks bool
	}{{70, true}, {70, false}, {40, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &screen{columns: 100}
				o := term.New(s, io.Discard, 100, false)
				b := progress.NewBar(o)
				set := func(done int64) {
					time.Sleep(time.Second) // it is drawn now and then
					b.Set(done, 4, "grid", "1 running, 3:20 min left")
				}
				set(1)
				require.Equal(t, []string{"grid  ━━━━━━━" + strings.Repeat("─", 21) + "  1 running, 3:20 min left"}, s.rows)
				b.Println(nil, "[1/4] done")
				s.narrow(c.to, c.breaks)
				*o = *term.New(s, io.Discard, c.to, false)
				b.Println(nil, "[2/4]")
				set(2)
				require.Len(t, s.rows, 3, "%q", s.rows)
				require.Equal(t, []string{"[1/4] done", "[2/4]"}, s.rows[:2])
				require.Less(t, term.Width(s.rows[2]), c.to)
				b.Stop()
				require.Equal(t, []string{"[1/4] done", "[2/4]"}, s.rows)
			})
		})
	}
}
