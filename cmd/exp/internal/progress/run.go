// Package progress shows the progress of work: a bar on a terminal, a line now and then in a pipe.
package progress

import (
	"fmt"
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

// Run shows a run while it trains: a bar and a table with a row for each epoch on a terminal, plain
// lines in a pipe. A dumb terminal has no bar.
type Run struct {
	io     *term.IO
	name   string
	Epochs int
	bound  bool             // Epochs is an upper limit
	now    func() time.Time // for tests
	bar    *Bar

	mu      sync.Mutex // the bar reads while the run writes
	began   time.Time  // of the first step
	inside  bool       // resumed inside an epoch
	before  float64    // share of the work done before began, if resumed inside an epoch
	spoke   time.Time  // when the last line was printed
	from    int        // epochs that were done before
	whole   int        // epochs done
	step    training.Step
	columns []column
}

// NewRun returns the display of a plan's run.
func NewRun(o *term.IO, p *plan.Plan) *Run {
	return &Run{io: o, name: p.Experiment.Name, Epochs: p.Run.Epochs, bound: !p.Task().Uses("lr"), now: time.Now, bar: NewBar(o)}
}

// Hooks returns the hooks that update the display.
func (w *Run) Hooks() training.Hooks {
	return training.Hooks{Started: w.started, Note: w.note, Fit: w.fitting, Step: w.stepped, Epoch: w.ended}
}

// Watch shows the progress of a runner that reads data and trains vectors.
func (w *Run) Watch(r *training.Runner) {
	r.Loader.Progress, r.Loader.Vectors = w.loading, w.training
}

// loading shows the progress of reading a file.
func (w *Run) loading(done, total int64) {
	w.bar.Set(done, total, "reading", format.Percent(float64(done)/float64(max(total, 1))))
}

// training shows the progress of training word vectors.
func (w *Run) training(stage string, fraction float64) {
	w.bar.Set(int64(1000*fraction), 1000, "word vectors", stage+"  "+format.Percent(fraction))
}

// fitting shows the progress of fitting the n-grams of a network.
func (w *Run) fitting(f training.Fit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar.Set(int64(f.Done), int64(f.Total), w.name, f.What)
	switch now := w.now(); {
	case f.Done == f.Total:
		w.text("and %s weights of n-grams", format.Thousands(f.Weights))
	case !w.io.Moves() && (f.Done == 0 || now.Sub(w.spoke) >= Quiet):
		w.println("%s: %s", w.name, f.What)
	}
}

func (w *Run) started(s training.Started) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from, w.whole, w.inside, w.spoke = s.From, s.From, s.Step > 0, w.now()
	d := s.Config.Data
	held := ""
	if d.Valid.Reviews > 0 {
		held = fmt.Sprintf(" %s held out,", format.Thousands(d.Valid.Reviews))
	}
	beside := ""
	if s.Beside > 0 {
		beside = fmt.Sprintf(", and %s of n-grams", format.Thousands(s.Beside))
	}
	w.text("%s %s to train on,%s %s to test; %s weights%s", format.Thousands(d.Train.Reviews), d.Unit(), held, format.Thousands(d.Test.Reviews), format.Thousands(s.Weights), beside)
	switch s.Origin {
	case "":
	case "resumed":
		where := fmt.Sprintf("continues after epoch %d", s.From)
		if s.Step > 0 {
			where += fmt.Sprintf(" and %s", format.Counted(s.Step, "step"))
		}
		w.text("%s", where)
	default:
		w.text("continues from the %s of %s", format.Counted(s.From, "epoch"), s.Origin)
	}
}

func (w *Run) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text("%s", text)
}

func (w *Run) stepped(s training.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	w.step = s
	share := (float64(w.whole-w.from) + float64(s.Done)/float64(s.Total)) / float64(max(1, w.Epochs-w.from))
	if w.began.IsZero() {
		if w.began = now; w.inside {
			w.before = share
		}
	}
	if w.io.Moves() {
		w.bar.Set(int64(1e6*share), 1e6, fmt.Sprintf("%s %d/%d", w.name, s.Epoch, s.Epochs),
			fmt.Sprintf("loss %.4f  %s left", s.Loss, w.left(share)))
		return
	}
	if now.Sub(w.spoke) >= Quiet {
		w.println("%s epoch %d/%d: %s, loss %.4f, %s left", w.name, s.Epoch, s.Epochs,
			format.Percent(float64(s.Done)/float64(s.Total)), s.Loss, w.left(share))
	}
}

// left estimates the remaining time when that share of the work is done.
func (w *Run) left(share float64) string {
	if share <= w.before || w.began.IsZero() {
		return "?"
	}
	spent := w.now().Sub(w.began).Seconds()
	limit := ""
	if w.bound {
		limit = "at most "
	}
	return limit + format.Clock(spent*(1-share)/(share-w.before))
}

func (w *Run) ended(m runs.Metrics, t runs.Timing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = m.Epoch
	e := epoch{m, t, w.Epochs, w.left(float64(w.whole-w.from) / float64(max(1, w.Epochs-w.from)))}
	if !w.io.Terminal() {
		w.println("%s", e.line())
		return
	}
	cols := columnsFor(m, w.io.Width())
	if cols == nil {
		w.text("%s", e.line())
		return
	}
	if len(cols) != len(w.columns) { // at first, and after a change of width
		w.columns = cols
		for _, h := range heads(w.columns) {
			w.println("%s", w.io.Paint(term.Dim, h))
		}
	}
	w.println("%s", row(w.columns, e))
}

// Stopped describes where training stopped, with the steps inside an epoch, which are saved, too.
func (w *Run) Stopped() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("stopped after epoch %d of %d", w.whole, w.Epochs)
	if w.step.Epoch > w.whole {
		text += fmt.Sprintf(" and %s of the next", format.Percent(float64(w.step.Done)/float64(w.step.Total)))
	}
	return text
}

// text prints a line of words, wrapped on a narrow terminal.
func (w *Run) text(format string, args ...any) {
	w.println("%s", term.Wrap(fmt.Sprintf(format, args...), w.io.Width(), "  ", "    "))
}

// println prints a line, above the bar if there is one.
func (w *Run) println(format string, args ...any) {
	fmt.Fprintf(w.bar, format+"\n", args...)
	w.spoke = w.now()
}

// Stop removes the bar.
func (w *Run) Stop() { w.bar.Stop() }
