// Package progress shows the progress of work: a bar on a terminal, a line now and then in a pipe.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// Quiet is the longest time without a line in a pipe.
const Quiet = time.Minute

// View shows runs while they train: a bar on a terminal, a line a minute in a pipe and on a dumb
// terminal. For a single run it also shows what is trained and each epoch. Its methods may be called
// from several goroutines.
type View struct {
	io     *term.IO
	bar    *Bar
	single bool // there is one run

	mu      sync.Mutex
	runs    []*run
	done    int
	failed  int
	began   time.Time // of the first step
	waits   bool      // the others wait in a queue and are counted
	columns int       // of the table of epochs
}

// run is the progress of one run.
type run struct {
	label   string
	epochs  int     // to train
	bound   bool    // epochs is an upper limit
	from    float64 // epochs done before this session, the last in part
	inside  bool    // it was resumed inside an epoch, and from is known with the first step
	whole   int     // epochs done
	step    training.Step
	running bool
}

// NewView returns the display of plans. Labels name them in a grid.
func NewView(o *term.IO, plans []*plan.Plan, labels []string) *View {
	v := &View{io: o, bar: NewBar(o), single: len(plans) == 1 && labels == nil}
	for i, p := range plans {
		r := &run{label: p.Experiment.Name, epochs: p.Run.Epochs, bound: p.Task().Ignored().Has("lr")}
		if !v.single {
			r.label = labels[i]
		}
		v.runs = append(v.runs, r)
	}
	return v
}

// Limit sets how many epochs of a single run are trained.
func (v *View) Limit(epochs int) { v.runs[0].epochs = min(epochs, v.runs[0].epochs) }

// Watch shows the progress of a runner that reads data and trains vectors.
func (v *View) Watch(r *training.Runner) {
	r.Loader.Progress, r.Loader.Vectors = v.bar.Reading, v.bar.training
}

// Hooks returns the hooks of the i-th run.
func (v *View) Hooks(i int) training.Hooks {
	r := v.runs[i]
	return training.Hooks{
		Started: func(s training.Started) { v.update(func() { v.started(r, s) }) },
		Note:    func(text string) { v.update(func() { v.note(r, text) }) },
		Fit:     func(f training.Fit) { v.fitting(r, f) },
		Step:    func(s training.Step) { v.update(func() { v.stepped(r, s) }) },
		Epoch:   func(m runs.Metrics, t runs.Timing) { v.update(func() { v.ended(r, m, t) }) },
	}
}

// Elsewhere shows the progress of run i, which another process trains, or which waits for one.
func (v *View) Elsewhere(i, epochs int, running bool) {
	v.update(func() {
		r := v.runs[i]
		if v.began.IsZero() {
			v.began, v.waits = time.Now(), true
		}
		if r.whole == 0 {
			r.from = float64(epochs)
		}
		r.whole, r.running = epochs, running
	})
}

// update changes the state and shows it.
func (v *View) update(change func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change()
	if v.single && v.began.IsZero() || !v.bar.due(Quiet) { // a summary takes time for each run
		return
	}
	head, text := v.summary()
	v.bar.SetOrSay(int64(1e6*v.share()), 1e6, head, text, Quiet, v.heartbeat())
}

func (v *View) started(r *run, s training.Started) {
	r.running, r.whole, r.from, r.inside, r.step = true, s.From, float64(s.From), s.Step > 0, training.Step{}
	if !v.single {
		return
	}
	d := s.Config.Data
	text := fmt.Sprintf("%s %s to train on,", format.Thousands(d.Train.Reviews), d.Unit())
	if d.Valid.Reviews > 0 {
		text += fmt.Sprintf(" %s held out,", format.Thousands(d.Valid.Reviews))
	}
	text += fmt.Sprintf(" %s to test; %s weights", format.Thousands(d.Test.Reviews), format.Thousands(s.Weights))
	if s.NGrams > 0 {
		text += fmt.Sprintf(", and %s of n-grams", format.Thousands(s.NGrams))
	}
	v.note(r, text)
	switch {
	case s.Origin == "":
	case s.Origin != "resumed":
		v.note(r, fmt.Sprintf("continues from the %s of %s", format.Counted(s.From, "epoch"), s.Origin))
	case s.Step > 0:
		v.note(r, fmt.Sprintf("continues after epoch %d and %s", s.From, format.Counted(s.Step, "step")))
	default:
		v.note(r, fmt.Sprintf("continues after epoch %d", s.From))
	}
}

// fitting shows the progress of fitting the n-grams of a network.
func (v *View) fitting(r *run, f training.Fit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.single && f.Done == f.Total:
		v.note(r, fmt.Sprintf("and %s weights of n-grams", format.Thousands(f.Weights)))
	case v.single && f.Done == 0 && !v.io.Moves():
		v.println(v.io.Out, r.label+": "+f.What)
	default:
		v.bar.SetOrSay(int64(f.Done), int64(f.Total), r.label, f.What, Quiet, r.label+": "+f.What)
	}
}

func (v *View) stepped(r *run, s training.Step) {
	if r.step = s; r.inside {
		r.from, r.inside = r.position(), false
	}
	if v.began.IsZero() {
		v.began = time.Now()
	}
}

// ended adds an epoch of a single run to the table on a terminal, and prints it as a line in a pipe.
func (v *View) ended(r *run, m runs.Metrics, t runs.Timing) {
	r.whole, r.step = m.Epoch, training.Step{Loss: r.step.Loss}
	if !v.single {
		return
	}
	all := cells(&m, t.Words, r.epochs, v.left())
	line := joined(all, func(c cell) string { return c.part })
	shown := fitting(all, v.io.Width())
	switch {
	case !v.io.Terminal():
		v.println(v.io.Out, line)
		return
	case shown == nil:
		v.note(r, line)
		return
	}
	padded := func(of func(cell) string) string {
		return joined(shown, func(c cell) string { return fmt.Sprintf("%*s", c.width, of(c)) })
	}
	if len(shown) != v.columns { // at first, and after a change of width
		v.columns = len(shown)
		v.println(v.io.Out, v.io.Paint(term.Dim, padded(func(c cell) string { return c.group })))
		v.println(v.io.Out, v.io.Paint(term.Dim, padded(func(c cell) string { return c.head })))
	}
	v.println(v.io.Out, padded(func(c cell) string { return c.text }))
}

// End records the end of run i, and prints a line about it; a failure goes to standard error. A run
// that was interrupted has not ended.
func (v *View) End(i int, ended bool, line string) {
	v.update(func() {
		r := v.runs[i]
		if !r.running { // finished before
			r.from = float64(r.epochs)
		}
		r.running, r.step, r.whole = false, training.Step{}, r.epochs
		if !ended {
			v.failed++
			v.print(v.io.Err, line)
			return
		}
		v.done++
		v.print(v.io.Out, line)
	})
}

// Stopped describes where the training of run i was interrupted.
func (v *View) Stopped(i int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.runs[i]
	where := ""
	if !v.single {
		where = r.label + " "
	}
	if !r.running { // not started here
		return where + "before it started"
	}
	r.running = false
	where += fmt.Sprintf("after epoch %d of %d", r.whole, r.epochs)
	if r.step.Epoch > r.whole {
		where += fmt.Sprintf(" and %s of the next", format.Percent(float64(r.step.Done)/float64(r.step.Total)))
	}
	return where
}

// Say prints a line, above the bar if there is one.
func (v *View) Say(text string) { v.update(func() { v.print(v.io.Out, text) }) }

// Fail is Say for standard error.
func (v *View) Fail(text string) { v.update(func() { v.print(v.io.Err, text) }) }

// Stop removes the bar.
func (v *View) Stop() { v.bar.Stop() }

func (v *View) note(r *run, text string) {
	if v.single {
		v.println(v.io.Out, term.Wrap(text, v.io.Width(), "  ", "    "))
	} else {
		v.print(v.io.Out, r.label+": "+text)
	}
}

func (v *View) print(out io.Writer, text string) {
	v.println(out, term.Wrap(text, v.io.Width(), "", "  "))
}

func (v *View) println(out io.Writer, text string) { v.bar.Println(out, text) }

func (r *run) epoch() int { return min(r.whole+1, r.epochs) }

// position returns the number of epochs that are done; the current epoch counts in part.
func (r *run) position() float64 {
	return float64(r.whole) + float64(r.step.Done)/float64(max(1, r.step.Total))
}

// share returns the share of this session's epochs that is done.
func (v *View) share() float64 {
	done, all := 0.0, 0.0
	for _, r := range v.runs {
		done, all = done+r.position()-r.from, all+float64(r.epochs)-r.from
	}
	return done / max(1e-9, all)
}

// left estimates the remaining time from the epochs so far.
func (v *View) left() string {
	share := v.share()
	if share <= 0 || v.began.IsZero() {
		return "?"
	}
	limit := ""
	if v.single && v.runs[0].bound {
		limit = "at most "
	}
	return limit + format.Clock(time.Since(v.began).Seconds()*(1-share)/share)
}

// summary returns the texts before and after the bar.
func (v *View) summary() (head, text string) {
	if r := v.runs[0]; v.single {
		return fmt.Sprintf("%s %d/%d", r.label, r.epoch(), r.epochs), fmt.Sprintf("loss %.4f  %s left", r.step.Loss, v.left())
	}
	running := 0
	for _, r := range v.runs {
		if r.running {
			running++
		}
	}
	parts := []string{fmt.Sprintf("%d running", running)}
	if v.waits {
		parts = append(parts, fmt.Sprintf("%d waiting", len(v.runs)-v.done-v.failed-running))
	}
	if v.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", v.failed))
	}
	if left := v.left(); left != "?" {
		parts = append(parts, left+" left")
	}
	return fmt.Sprintf("%d of %d", v.done, len(v.runs)), strings.Join(parts, ", ")
}

// heartbeat returns the line that is printed in a pipe now and then.
func (v *View) heartbeat() string {
	if r := v.runs[0]; v.single {
		return fmt.Sprintf("%s epoch %d/%d: %s, loss %.4f, %s left", r.label, r.epoch(), r.epochs,
			format.Percent(float64(r.step.Done)/float64(max(1, r.step.Total))), r.step.Loss, v.left())
	}
	head, text := v.summary()
	text = head + " done, " + text
	for _, r := range v.runs {
		if r.running && !v.waits { // a cluster may run hundreds
			text += fmt.Sprintf("; %s epoch %d/%d", r.label, r.epoch(), r.epochs)
		}
	}
	return text
}
