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

// view shows a grid as it goes: on a terminal a bar for each run at work, and
// below them how many are done, the best so far and the time left; in a pipe and on a
// dumb terminal a line a minute. Its methods may be called from several goroutines.
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

// hooks returns what hears about the i-th plan.
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

// reading hears how far a file has been read.
func (v *view) reading(done, total int64) {
	v.busy("reading data  " + format.Percent(float64(done)/float64(max(total, 1))))
}

// training hears how far word vectors have been trained.
func (v *view) training(stage string, fraction float64) {
	v.busy("training word vectors: " + stage + "  " + format.Percent(fraction))
}

// busy shows what the runs wait for.
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

// end takes in how a plan ended and prints its line, if there is one.
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

// position tells where run i stands.
func (v *view) position(i int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.state.running[i]
	if p == nil { // it may have epochs from before
		return v.state.labels[i] + " before it went on"
	}
	return fmt.Sprintf("%s after epoch %d of %d", v.state.labels[i], p.whole, v.state.epochs[i])
}

// fail prints a line of an error: on a terminal above the bars, which an error
// stream would write into.
func (v *view) fail(text string) {
	if v.foot != nil {
		v.line(text)
		return
	}
	fmt.Fprintln(v.io.Err, text)
}

// stopped takes a run off the screen that was interrupted.
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
			fmt.Fprintln(v.io.Out, v.murmur())
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

// murmur is the line of a grid in a pipe that would be quiet for too long.
func (v *view) murmur() string {
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

// line prints a line of words, above the bars where there are any.
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

// stop takes the bars away.
func (v *view) stop() {
	if v.foot != nil {
		v.foot.stop()
	}
}
