package grid

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// view shows a grid while it trains: on a terminal a bar for each running run, and below them the
// number of finished runs, the best one and the remaining time; in a pipe and on a dumb terminal a
// line a minute. Its methods may be called from several goroutines.
type view struct {
	io  *term.IO
	now func() time.Time // for tests

	mu    sync.Mutex
	state *state
	foot  *foot     // nil in a pipe and on a dumb terminal
	spoke time.Time // when the last line was printed
}

func newView(o *term.IO, s *state) *view {
	v := &view{io: o, state: s, now: time.Now}
	if o.Moves() {
		v.foot = newFoot(o, s.labels)
	}
	v.spoke = v.now()
	return v
}

// hooks returns the hooks of the i-th plan.
func (v *view) hooks(i int) training.Hooks {
	return training.Hooks{
		Started: func(s training.Started) { v.update(i, func(now time.Time) { v.state.started(i, s.From, now) }) },
		Note:    func(text string) { v.line(v.state.labels[i] + ": " + text) },
		Fit:     func(f training.Fit) { v.busy(v.state.labels[i] + ": " + f.What) },
		Step:    func(s training.Step) { v.update(i, func(time.Time) { v.state.stepped(i, s) }) },
		Epoch: func(m runs.Metrics, _ runs.Timing) {
			v.update(i, func(now time.Time) { v.state.epoch(i, m, now) })
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
	if v.foot != nil {
		v.foot.summary(text)
	}
}

// update changes the state and shows it.
func (v *view) update(i int, change func(now time.Time)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	change(now)
	v.show(i, now)
}

// end records the end of a plan and prints its line, if there is one.
func (v *view) end(r parallel.Result, line string) {
	v.mu.Lock()
	v.state.end(r)
	if v.foot != nil {
		v.foot.remove(r.Index)
	}
	v.mu.Unlock()
	if line != "" {
		v.line(line)
	}
	v.update(r.Index, func(time.Time) {})
}

// position returns the position of run i.
func (v *view) position(i int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.state.running[i]
	if p == nil { // not started here
		return v.state.labels[i] + " before it started"
	}
	return fmt.Sprintf("%s after epoch %d of %d", v.state.labels[i], p.whole, v.state.epochs[i])
}

// fail prints an error: on a terminal above the bars.
func (v *view) fail(text string) {
	if v.foot != nil {
		v.line(text)
		return
	}
	fmt.Fprintln(v.io.Err, text)
}

// stopped removes an interrupted run from the screen.
func (v *view) stopped(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.state.running, i)
	if v.foot != nil {
		v.foot.remove(i)
	}
}

func (v *view) show(i int, now time.Time) {
	if v.foot == nil {
		if now.Sub(v.spoke) >= progress.Quiet {
			v.spoke = now
			fmt.Fprintln(v.io.Out, v.heartbeat())
		}
		return
	}
	if p := v.state.running[i]; p != nil {
		epochs := max(1, v.state.epochs[i])
		text := fmt.Sprintf("%d/%d", min(p.whole+1, epochs), epochs)
		if p.step != nil && v.io.Width() >= 76 {
			text += fmt.Sprintf("  loss %.4f", p.step.Loss)
		}
		v.foot.set(i, (float64(p.whole)+p.share())/float64(epochs), v.state.labels[i], text)
	}
	lines := []string{v.state.summary()}
	if l := v.state.leader(); l != "" {
		lines = append(lines, l)
	}
	v.foot.summary(lines...)
}

// heartbeat returns the line that is printed in a pipe now and then.
func (v *view) heartbeat() string {
	text := v.state.summary()
	var at []int
	for i := range v.state.running {
		at = append(at, i)
	}
	slices.Sort(at)
	for _, i := range at {
		text += fmt.Sprintf("; %s epoch %d/%d", v.state.labels[i], v.state.running[i].whole+1, v.state.epochs[i])
	}
	return text
}

// line prints a line, above the bars if there are any.
func (v *view) line(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var out io.Writer = v.io.Out
	if v.foot != nil {
		out = v.foot
	}
	fmt.Fprintln(out, term.Wrap(text, v.io.Width(), "", "  "))
	v.spoke = v.now()
}

// stop removes the bars.
func (v *view) stop() {
	if v.foot != nil {
		v.foot.stop()
	}
}
