package data

import (
	"fmt"
	"io"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// murmur is the longest time without a line about a download in a pipe.
const murmur = 15 * time.Second

// arrival shows the progress of a download: a bar with rate and remaining time on a
// terminal, a line now and then in a pipe and on a dumb terminal.
type arrival struct {
	io   *term.IO
	name string
	now  func() time.Time // for tests
	bar  *progress.Bar    // nil in a pipe and on a dumb terminal

	rate  pace
	spoke time.Time // when the last line was printed
}

func newArrival(o *term.IO, name string) *arrival {
	w := &arrival{io: o, name: name, now: time.Now}
	if o.Moves() {
		w.bar = progress.NewBar(o)
	}
	return w
}

// progress is called with the bytes there are; total is −1 if it is unknown.
func (w *arrival) progress(done, total int64) {
	now := w.now()
	w.rate.add(now, done)
	if w.bar == nil && now.Sub(w.spoke) < murmur {
		return
	}
	parts := []string{format.Bytes(done)}
	if total >= 0 {
		parts[0] += " of " + format.Bytes(total)
	}
	if speed := w.rate.perSecond(); speed > 0 {
		parts = append(parts, format.Bytes(int64(speed))+"/s")
		if total >= 0 {
			parts = append(parts, format.Clock(float64(total-done)/speed)+" left")
		}
	}
	if w.bar == nil {
		w.println("%s: %s", w.name, strings.Join(parts, ", "))
		return
	}
	w.bar.Set(done, max(done, total), w.name, strings.Join(parts, "  "))
}

// retry is called with the error of an attempt and the wait before the next one.
func (w *arrival) retry(err error, wait time.Duration) {
	if wait > 0 {
		w.println("%s: %v; trying again in %v", w.name, err, wait)
	} else {
		w.println("%s: %v; fetching the whole file", w.name, err)
	}
}

// reading is called while the download is checked.
func (w *arrival) reading(done, total int64) {
	if w.bar != nil {
		w.bar.Set(done, total, "checking", format.Percent(float64(done)/float64(max(total, 1))))
	}
}

// println prints a line, above the bar if there is one.
func (w *arrival) println(format string, args ...any) {
	var out io.Writer = w.io.Out
	if w.bar != nil {
		out = w.bar
	}
	fmt.Fprintln(out, term.Wrap(fmt.Sprintf(format, args...), w.io.Width(), "", "  "))
	w.spoke = w.now()
}

// stop removes the bar.
func (w *arrival) stop() {
	if w.bar != nil {
		w.bar.Stop()
	}
}

// pace measures the rate since the download began, or began again.
type pace struct {
	begun       time.Time
	first, last int64 // bytes
	seconds     float64
}

func (r *pace) add(at time.Time, done int64) {
	if r.begun.IsZero() || done < r.last {
		r.begun, r.first = at, done
	}
	r.last, r.seconds = done, at.Sub(r.begun).Seconds()
}

// perSecond returns bytes per second, 0 while that is unknown.
func (r *pace) perSecond() float64 {
	if r.seconds < 0.25 {
		return 0
	}
	return float64(r.last-r.first) / r.seconds
}
