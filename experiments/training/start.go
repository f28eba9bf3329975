package training

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/models"
	"imdbexp/runs"
)

// startKey is the setting that names the run from whose weights training begins.
const startKey = "init"

// start are the weights of another run, from which training begins.
type start struct {
	from       *runs.Run
	weights    []runs.Tensor
	taken, new []string // names of this run's weights, see fill
}

// start opens the run that a plan starts from. It returns nil if the plan starts from random weights.
func (r *Runner) start(ctx context.Context, p *plan.Plan, d *task.Data) (*start, error) {
	run, err := r.cite(p, startKey, p.Run.Init)
	if run == nil || err != nil {
		return nil, err
	}
	for _, of := range []string{"data", "vectors", "probe"} {
		if run.Config.Digests[of] != d.Digests[of] {
			return nil, fmt.Errorf("%s=%s: it has other %s. What it learned from may be among the test texts of this run: data, data.exclude and vectors must be the same", startKey, run.Label(), of)
		}
	}
	for _, key := range []string{runs.TestSeedKey, "tokens", "slip.whitespace"} {
		if ours, _ := p.Set.Get(key); run.Config.Setting(key) != ours.Value {
			return nil, fmt.Errorf("%s=%s: it has %s=%s, and this run %s: both must read the same words", startKey, run.Label(), key, run.Config.Setting(key), ours.Value)
		}
	}
	c, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return nil, err
	}
	return &start{from: run, weights: slices.Concat(c.Params, c.States)}, ctx.Err()
}

// fill copies the weights that have the name and the shape of one of these. From a single network
// all networks of an ensemble take the same; new weights and dropout make them differ.
func (s *start) fill(list []*models.Weight) error {
	numbers := runs.Matrices(s.weights)
	s.taken, s.new = nil, nil
	for _, w := range list {
		data, err := numbers(w.Name, w.Rows, w.Cols)
		if err != nil {
			data, err = numbers(models.MemberName(w.Name), w.Rows, w.Cols)
		}
		if err != nil {
			s.new = append(s.new, w.Name)
			continue
		}
		copy(w.Data, data)
		s.taken = append(s.taken, w.Name)
	}
	if s.taken == nil {
		var theirs []string
		for _, t := range s.weights {
			theirs = append(theirs, fmt.Sprintf("%s %v", t.Name, t.Shape))
		}
		return fmt.Errorf("%s=%s: no weight has the name and the shape of one of this run; it has %s. The widths must be the same", startKey, s.from.Label(), strings.Join(theirs, ", "))
	}
	return nil
}

// factor returns the factor of a weight's learning rate (init.lr).
func (s *start) factor(name string, taken float64) float64 {
	if s != nil && slices.Contains(s.taken, name) {
		return taken
	}
	return 1
}

func (s *start) String() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("starts from the weights of %s: %s", s.from.Label(), layers(s.taken))
	if s.new != nil {
		text += "; new are " + layers(s.new)
	}
	return text
}

// layers returns the names of weights without their last part, those of an ensemble once.
func layers(weights []string) string {
	var out []string
	for _, w := range weights {
		w = models.MemberName(w)
		if i := strings.LastIndexByte(w, '.'); i > 0 {
			w = w[:i]
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return strings.Join(out, ", ")
}
