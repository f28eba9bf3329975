package grid

import (
	"fmt"
	"strings"
	"time"

	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/runs"
)

// state is the progress of a grid.
type state struct {
	labels []string
	plans  []*progressOf
	jobs   int
	done   int // finished, now or before
	failed int
	spent  map[string]epochTime // by model: the epochs of a model take about the same time
	best   string               // "" before the first run with a validation split has ended
	score  float64
}

// progressOf is the progress of one plan.
type progressOf struct {
	model         string
	epochs, whole int // epochs of the plan, and those that are done
	running, over bool
	since         time.Time     // beginning of the current epoch
	step          training.Step // of the current epoch
}

// epochTime adds up the times of whole epochs, with their evaluation.
type epochTime struct {
	epochs int
	spent  time.Duration
}

func newState(plans []*plan.Plan, labels []string, jobs int) *state {
	s := &state{labels: labels, jobs: jobs, spent: map[string]epochTime{}}
	for _, p := range plans {
		s.plans = append(s.plans, &progressOf{model: p.Experiment.Model, epochs: p.Run.Epochs})
	}
	return s
}

func (s *state) started(i, from int, now time.Time) {
	p := s.plans[i]
	p.running, p.whole, p.since, p.step = true, from, now, training.Step{}
}

func (s *state) stepped(i int, step training.Step) { s.plans[i].step = step }

func (s *state) epoch(i int, m runs.Metrics, now time.Time) {
	p := s.plans[i]
	t := s.spent[p.model]
	s.spent[p.model] = epochTime{t.epochs + 1, t.spent + now.Sub(p.since)}
	p.whole, p.since, p.step = m.Epoch, now, training.Step{}
}

// end counts a plan that has ended. Stopped plans are not counted.
func (s *state) end(r parallel.Result) {
	p := s.plans[r.Index]
	p.running, p.over = false, true
	if r.Err != nil {
		s.failed++
		return
	}
	s.done++
	m, err := r.Outcome.Run.Chosen()
	if err != nil {
		return
	}
	if score := r.Outcome.Run.Config.ValidScore(&m); score != nil && (s.best == "" || *score > s.score) {
		s.best, s.score = s.labels[r.Index], *score
	}
}

// position returns the number of epochs that are done; the current epoch counts in part.
func (p *progressOf) position() float64 {
	if p.over {
		return float64(p.epochs)
	}
	return float64(p.whole) + float64(p.step.Done)/float64(max(1, p.step.Total))
}

// left estimates the remaining seconds from the epochs so far, if possible of the same model; −1 while
// nothing is known.
func (s *state) left() float64 {
	var all epochTime
	for _, t := range s.spent {
		all = epochTime{all.epochs + t.epochs, all.spent + t.spent}
	}
	if all.epochs == 0 {
		return -1
	}
	sum, longest := 0.0, 0.0
	for _, p := range s.plans {
		t := all
		if own := s.spent[p.model]; own.epochs > 0 {
			t = own
		}
		seconds := max(0, float64(p.epochs)-p.position()) * t.spent.Seconds() / float64(t.epochs)
		sum, longest = sum+seconds, max(longest, seconds)
	}
	return max(longest, sum/float64(s.jobs)) // one run is not divided
}

// finished returns the share of all epochs that is done.
func (s *state) finished() float64 {
	done, all := 0.0, 0
	for _, p := range s.plans {
		done, all = done+p.position(), all+p.epochs
	}
	return done / float64(max(1, all))
}

// running returns the plans that are being trained.
func (s *state) running() (out []int) {
	for i, p := range s.plans {
		if p.running {
			out = append(out, i)
		}
	}
	return out
}

// summary returns the progress of the grid in a line, with the best run so far on the validation split.
// Nothing is chosen on the test set.
func (s *state) summary() string {
	parts := []string{fmt.Sprintf("%d of %d done", s.done, len(s.labels)), fmt.Sprintf("%d running", len(s.running()))}
	if s.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", s.failed))
	}
	if left := s.left(); left >= 0 {
		parts = append(parts, format.Clock(left)+" left")
	}
	if s.best != "" {
		parts = append(parts, fmt.Sprintf("best valid %.2f %%, %s", s.score, s.best))
	}
	return strings.Join(parts, ", ")
}
