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
	epochs []int    // of each plan
	models []string // models, whose epochs take about the same time
	jobs   int

	waiting map[kind]int // plans that have not begun, by kind
	begun   map[int]bool
	running map[int]*runningPlan
	done    int // finished, now or before
	failed  int

	allEpochs, endedEpochs int // of all plans, of the plans that have ended

	spent map[string]epochTime
	best  string // "" before the first run with a validation split has ended
	score float64
}

// kind is equal for plans that take about the same time.
type kind struct {
	model  string
	epochs int
}

// runningPlan is a plan that is being trained.
type runningPlan struct {
	whole int            // epochs done
	since time.Time      // beginning of the current epoch
	step  *training.Step // nil before the first
}

// epochTime adds up the times of whole epochs, with their evaluation.
type epochTime struct {
	epochs int
	spent  time.Duration
}

func newState(plans []*plan.Plan, labels []string, jobs int) *state {
	s := &state{labels: labels, jobs: jobs, waiting: map[kind]int{}, begun: map[int]bool{}, running: map[int]*runningPlan{}, spent: map[string]epochTime{}}
	for _, p := range plans {
		s.epochs = append(s.epochs, p.Run.Epochs)
		s.allEpochs += p.Run.Epochs
		s.models = append(s.models, p.Experiment.Model)
		s.waiting[kind{p.Experiment.Model, p.Run.Epochs}]++
	}
	return s
}

// begin removes a plan from the waiting ones.
func (s *state) begin(i int) {
	if !s.begun[i] {
		s.begun[i] = true
		s.waiting[kind{s.models[i], s.epochs[i]}]--
	}
}

func (s *state) started(i, from int, now time.Time) {
	s.begin(i)
	s.running[i] = &runningPlan{whole: from, since: now}
}

func (s *state) stepped(i int, step training.Step) {
	if p := s.running[i]; p != nil {
		p.step = &step
	}
}

func (s *state) epoch(i int, m runs.Metrics, now time.Time) {
	p := s.running[i]
	if p == nil {
		return
	}
	t := s.spent[s.models[i]]
	s.spent[s.models[i]] = epochTime{t.epochs + 1, t.spent + now.Sub(p.since)}
	p.whole, p.since, p.step = m.Epoch, now, nil
}

// end counts a plan that has ended. Stopped plans are not counted.
func (s *state) end(r parallel.Result) {
	delete(s.running, r.Index)
	s.begin(r.Index)
	s.endedEpochs += s.epochs[r.Index]
	if r.Err != nil {
		s.failed++
		return
	}
	s.done++
	run := r.Outcome.Run
	if m, err := run.Chosen(); err == nil && m.ValidAcc != nil && (s.best == "" || *m.ValidAcc > s.score) {
		s.best, s.score = s.labels[r.Index], *m.ValidAcc
	}
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
	add := func(plans int, model string, epochs float64) {
		t := all
		if own := s.spent[model]; own.epochs > 0 {
			t = own
		}
		seconds := epochs * t.spent.Seconds() / float64(t.epochs)
		sum, longest = sum+float64(plans)*seconds, max(longest, seconds)
	}
	for k, n := range s.waiting {
		if n > 0 {
			add(n, k.model, float64(k.epochs))
		}
	}
	for i, p := range s.running {
		add(1, s.models[i], max(0, float64(s.epochs[i]-p.whole)-p.share()))
	}
	return max(longest, sum/float64(s.jobs)) // one run is not divided
}

// share returns the share of the current epoch that is done.
func (p *runningPlan) share() float64 {
	if p.step == nil || p.step.Total == 0 {
		return 0
	}
	return float64(p.step.Done) / float64(p.step.Total)
}

// finished returns the share of all epochs that is done.
func (s *state) finished() float64 {
	done := float64(s.endedEpochs)
	for _, p := range s.running {
		done += float64(p.whole) + p.share()
	}
	return done / float64(max(1, s.allEpochs))
}

// summary returns the progress of the grid in a line, with the best run so far on the validation split.
// Nothing is chosen on the test set.
func (s *state) summary() string {
	parts := []string{fmt.Sprintf("%d of %d done", s.done, len(s.labels)), fmt.Sprintf("%d running", len(s.running))}
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
