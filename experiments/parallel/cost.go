package parallel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/runs"
)

// Costs measures the time and memory that plans take, once for plans that take the same.
type Costs struct {
	Runner  *training.Runner
	AtLeast time.Duration // of each measurement

	mu     sync.Mutex
	shared *training.Job // whose data are in memory whatever is measured
	known  map[string]training.Cost
	spent  time.Duration
}

// costBudget bounds the time of all measurements.
const costBudget = 20 * time.Second

// costless lists the settings that change neither time nor memory of an epoch.
var costless = []string{"variant", "seed", "data.train_seed", "data.split_seed", "data.test_seed", "epochs", "patience", "lr", "vectors.lr", "weight_decay", "clip",
	"schedule", "schedule.every", "schedule.factor", "schedule.warmup"}

// kindOf returns a text that is equal for plans of the same cost.
func kindOf(p *plan.Plan) string {
	var kind strings.Builder
	kind.WriteString(p.Experiment.Model)
	for _, s := range p.Set.All() {
		if !slices.Contains(costless, s.Key) {
			kind.WriteString("\n" + s.Key + "=" + s.Value)
		}
	}
	return kind.String()
}

// Of returns the cost of a job's plan; a zero Cost means that it is unknown, because the
// measurements took too long or the model diverged.
func (c *Costs) Of(ctx context.Context, j *training.Job) (training.Cost, error) {
	if cost, known := c.Known(j.Plan); known || c.spent >= costBudget {
		return cost, nil
	}
	if c.shared == nil {
		c.shared = j
	}
	if _, err := c.Runner.Job(ctx, c.shared.Plan); err != nil { // the loader keeps these data and no others
		return training.Cost{}, err
	}
	began := time.Now()
	inner, cancel := context.WithTimeout(ctx, costBudget-c.spent)
	defer cancel()
	cost, err := c.Runner.Measure(inner, j.Plan, c.AtLeast)
	c.spent += time.Since(began)
	if _, diverged := errors.AsType[*training.DivergedError](err); diverged || inner.Err() != nil && ctx.Err() == nil {
		cost, err = training.Cost{}, nil
	}
	if err != nil {
		return training.Cost{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]training.Cost{}
	}
	c.known[kindOf(j.Plan)] = cost
	return cost, nil
}

// Known returns the cost of a plan if it has been measured.
func (c *Costs) Known(p *plan.Plan) (training.Cost, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cost, known := c.known[kindOf(p)]
	return cost, known
}

// The time that evaluation and greedy decoding take for a word, as a multiple of training.
// Evaluation is between 0.36 and 0.41 for LSTM, self-attention and Transformer on IMDB.
const (
	evaluating = 0.4
	decoding   = 1.0
)

// Seconds estimates how long the epochs of a run take that come after the first done ones.
func Seconds(cost training.Cost, c *runs.Config, done int) float64 {
	g := c.General()
	epochs := g.Epochs - done
	if cost.Passes > 0 {
		epochs = min(epochs, max(1, cost.Passes-done))
	}
	words := float64(epochs) * (float64(c.Data.Train.Words) + evaluating*float64(c.Data.Valid.Words))
	tested := float64(g.TestsUntil(done+epochs)-g.TestsUntil(done)) * float64(c.Data.Test.Words)
	words += evaluating * tested
	if len(c.Task().Decoded) > 0 {
		words += decoding * tested
	}
	seconds := words / cost.Words
	if done == 0 || cost.Passes > 0 { // a solver that is resumed finds its n-grams again
		seconds += cost.Setup
	}
	return seconds
}
