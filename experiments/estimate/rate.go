// Package estimate answers what a run will take before it is trained: time and memory.
package estimate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// Rate is how fast a model trains on this machine.
type Rate struct {
	Words  float64 // a second, of training passes
	Before float64 // seconds before the first of them: the n-grams of a model that counts, or beside the network (wide)
	Passes int     // until a solver has converged; 0: as many as there are epochs
	From   string  // how that is known; "" is not known
}

// Where a Rate comes from.
const (
	FromRuns  = "earlier runs"
	FromSteps = "a few steps"
)

// forward is what a word costs in evaluation, where training costs 1: between 0.36
// and 0.41 for LSTM, self-attention and Transformer on IMDB.
const forward = 0.4

// decoding is what a source word costs in greedy decoding: as much as in training,
// by seq2seq-transformer on the phrases.
const decoding = 1.0

// Seconds predicts how long a run takes that has done some of its epochs.
func (r Rate) Seconds(c *runs.Config, done int) float64 {
	left, counts := c.Epochs()-done, r.Passes > 0
	if counts {
		left = min(left, max(1, r.Passes-done))
	}
	g := c.General()
	seconds := r.seconds(c, left, g.TestsUntil(done+left)-g.TestsUntil(done))
	if counts || done == 0 { // n-grams are found again by who goes on
		seconds += r.Before
	}
	return seconds
}

// EpochSeconds predicts how long an epoch of a run takes on average, with its evaluation:
// on test too where the run looks at test meanwhile.
func (r Rate) EpochSeconds(c *runs.Config) float64 {
	g := c.General()
	return r.seconds(c, g.Epochs, g.TestsUntil(g.Epochs)) / float64(g.Epochs)
}

// seconds predicts how long epochs take after some of which the run looks at test.
func (r Rate) seconds(c *runs.Config, epochs, looks int) float64 {
	words := float64(epochs) * (float64(c.Data.Train.Words) + forward*float64(c.Data.Valid.Words))
	test := float64(looks) * float64(c.Data.Test.Words)
	words += forward * test
	if len(c.Task().Decoded) > 0 {
		words += decoding * test
	}
	return words / r.Words
}

// Rates finds out how fast plans train, each kind once.
type Rates struct {
	Runner  *training.Runner
	Workers int           // cores of each run
	Trial   time.Duration // how long a kind that has no runs yet is tried; 0: not at all
	Budget  time.Duration // for all trials together

	kinds map[string][]*runs.Run // what is there, by kind
	known map[string]Rate
	spent time.Duration
}

// Of returns the rate of a plan, whose configuration is c: the median of this
// machine's earlier runs of the same model, on the same data with as many cores, or
// else what a few steps take. A model that counts n-grams is always tried: that takes less
// than a second, and its runs do not tell how long they looked for n-grams.
func (s *Rates) Of(ctx context.Context, p *plan.Plan, c *runs.Config) (Rate, error) {
	if s.known == nil {
		s.known = map[string]Rate{}
		s.look()
	}
	kind, err := kindOf(c)
	if err != nil {
		return Rate{}, err
	}
	if r, ok := s.known[kind]; ok {
		return r, nil
	}
	var r Rate
	if !c.Counts() {
		r = s.earlier(kind)
	}
	if r.From == "" {
		r, err = s.try(ctx, p, c)
	}
	s.known[kind] = r
	return r, err
}

// look reads the folders of runs. Those that cannot be read tell nothing.
func (s *Rates) look() {
	s.kinds = map[string][]*runs.Run{}
	list, _ := runs.List(s.Runner.Dir)
	for _, run := range list {
		if kind, err := kindOf(&run.Config); err == nil {
			s.kinds[kind] = append(s.kinds[kind], run)
		}
	}
}

// Of the runs of a kind, however many, so many of the newest are looked at, and so many
// asked how fast they were: others would not change a median.
const (
	lookedAt = 500
	asked    = 50
)

// earlier asks the newest runs of a kind.
func (s *Rates) earlier(kind string) Rate {
	var speeds []float64
	var firsts []runs.Timing // epochs that began with what comes before the first step
	list := s.kinds[kind]
	list = list[max(0, len(list)-lookedAt):]
	n := 0
	for _, run := range slices.Backward(list) {
		if n == asked {
			break
		}
		if !s.alike(run) {
			continue
		}
		n++
		times, _ := run.Timing() // of a damaged file, what there is
		for _, t := range times {
			if t.Words > 0 {
				speeds = append(speeds, t.Words)
			}
			if t.Epoch == 1 && run.Config.Wide() {
				firsts = append(firsts, t)
			}
		}
	}
	if len(speeds) == 0 {
		return Rate{}
	}
	r := Rate{Words: median(speeds), From: FromRuns}
	var before []float64
	for _, t := range firsts { // longer than an epoch is by that rate
		before = append(before, max(0, t.Seconds*(1-t.Words/r.Words)))
	}
	if len(before) > 0 {
		r.Before = median(before)
	}
	return r
}

// median sorts values and returns that in the middle, or the mean of the two there.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// alike reports whether a run was trained on this machine as plans would be now.
func (s *Rates) alike(run *runs.Run) bool {
	all, err := run.Environments()
	if err != nil || len(all) == 0 {
		return false
	}
	host, _ := os.Hostname()
	return !slices.ContainsFunc(all, func(e runs.Environment) bool {
		return e.Host != host || e.Workers != s.Workers || e.SIMD != simd.Current().String()
	})
}

// try trains a few steps and keeps nothing of them.
func (s *Rates) try(ctx context.Context, p *plan.Plan, c *runs.Config) (Rate, error) {
	if s.Trial <= 0 || s.spent >= s.Budget {
		return Rate{}, nil
	}
	began := time.Now()
	inner, cancel := context.WithTimeout(ctx, s.Budget-s.spent)
	defer cancel()
	speed, err := s.Runner.Speed(inner, p, s.Trial)
	s.spent += time.Since(began)
	_, diverged := errors.AsType[*training.DivergedError](err)
	switch {
	case ctx.Err() != nil:
		return Rate{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), diverged:
		return Rate{}, nil
	case err != nil:
		return Rate{}, err
	}
	rate := Rate{Words: speed.Words, Passes: speed.Passes, From: FromSteps}
	if c.Wide() || c.Counts() {
		rate.Before = speed.Before
	}
	return rate, nil
}

// paceKeys are the general settings that decide how fast a model trains, beside all
// of the model's own.
var paceKeys = []string{"data", "data.max_len", "tokens", "slip.whitespace", "batch", "optimizer", "vectors", "vectors.dim", "vectors.train", "vectors.adam"}

const ngramsKey = "vectors.ngrams"

// general is what every run has.
var general = sync.OnceValues(func() (*settings.Set, error) { return settings.New(&settings.Run{}) })

// kindOf is equal for runs that train as fast.
func kindOf(c *runs.Config) (string, error) {
	general, err := general()
	if err != nil {
		return "", err
	}
	var kind strings.Builder
	kind.WriteString(c.Model)
	for _, v := range c.Settings {
		if _, is := general.Get(v.Key); v.Key != ngramsKey && (!is || slices.Contains(paceKeys, v.Key)) {
			kind.WriteString("\n" + v.Key + "=" + v.Value)
		}
	}
	fmt.Fprintf(&kind, "\n%s=%d", ngramsKey, c.General().NGrams) // older runs lack it
	return kind.String(), nil
}
