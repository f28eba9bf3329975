package grid

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// view shows a grid while it trains: a bar with the number of finished runs, the remaining time and the
// best run on a terminal; a line a minute in a pipe and on a dumb terminal. Its methods may be called
// from several goroutines.
type view struct {
	io  *term.IO
	now func() time.Time // for tests

	mu      sync.Mutex
	state   *state
	bar     *progress.Bar
	printed time.Time // when the last line was printed
	drawn   time.Time // when the bar was updated
}

func newView(o *term.IO, s *state) *view {
	return &view{io: o, state: s, now: time.Now, bar: progress.NewBar(o), printed: time.Now()}
}

// hooks returns the hooks of the i-th plan.
func (v *view) hooks(i int) training.Hooks {
	return training.Hooks{
		Started: func(s training.Started) { v.update(func(now time.Time) { v.state.started(i, s.From, now) }) },
		Note:    func(text string) { v.line(v.state.labels[i] + ": " + text) },
		Fit:     func(f training.Fit) { v.busy(v.state.labels[i] + ": " + f.What) },
		Step:    func(s training.Step) { v.update(func(time.Time) { v.state.stepped(i, s) }) },
		Epoch: func(m runs.Metrics, _ runs.Timing) {
			v.update(func(now time.Time) { v.state.epoch(i, m, now) })
		},
	}
}

// reading shows the progress of reading a file.
func (v *view) reading(done, total int64) {
	v.busy("reading data  " + format.Percent(float64(done)/float64(max(total, 1))))
}

// training shows the progress of training word vectors.
func (v *view) training(stage string, fraction float64) {
	v.busy("training word vectors: " + stage + "  " + format.Percent(fraction))
}

// busy shows what the runs are waiting for.
func (v *view) busy(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set(text)
}

// set updates the bar.
func (v *view) set(text string) {
	head := fmt.Sprintf("%d of %d", v.state.done, len(v.state.labels))
	v.bar.Set(int64(1e6*v.state.finished()), 1e6, head, text)
}

// redrawn is the time between two updates of the bar: a summary takes time for each plan.
const redrawn = 100 * time.Millisecond

// update changes the state and shows it.
func (v *view) update(change func(now time.Time)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	change(now)
	switch {
	case v.io.Moves() && now.Sub(v.drawn) >= redrawn:
		v.drawn = now
		_, text, _ := strings.Cut(v.state.summary(), ", ") // the bar has the number of runs
		v.set(text)
	case !v.io.Moves() && now.Sub(v.printed) >= progress.Quiet:
		v.printed = now
		fmt.Fprintln(v.io.Out, v.heartbeat())
	}
}

// end records the end of a plan and prints its line, if there is one.
func (v *view) end(r parallel.Result, line string) {
	v.update(func(time.Time) { v.state.end(r) })
	if line != "" {
		v.line(line)
	}
}

// position returns the position of run i.
func (v *view) position(i int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.state.plans[i]
	if !p.running { // not started here
		return v.state.labels[i] + " before it started"
	}
	return fmt.Sprintf("%s after epoch %d of %d", v.state.labels[i], p.whole, p.epochs)
}

// fail prints an error: on a terminal above the bar.
func (v *view) fail(text string) { v.print(v.io.Err, text) }

// stopped removes an interrupted run.
func (v *view) stopped(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state.plans[i].running = false
}

// heartbeat returns the line that is printed in a pipe now and then.
func (v *view) heartbeat() string {
	text := v.state.summary()
	for _, i := range v.state.running() {
		p := v.state.plans[i]
		text += fmt.Sprintf("; %s epoch %d/%d", v.state.labels[i], min(p.whole+1, p.epochs), p.epochs)
	}
	return text
}

// line prints a line, above the bar if there is one.
func (v *view) line(text string) { v.print(v.io.Out, text) }

func (v *view) print(out io.Writer, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprintln(v.bar.Or(out), term.Wrap(text, v.io.Width(), "", "  "))
	v.printed = v.now()
}
