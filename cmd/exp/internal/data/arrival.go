package data

import (
	"fmt"
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
	bar  *progress.Bar

	begun       time.Time // when the download began, or began again
	first, last int64     // bytes at that time and at the last call
}

func newArrival(o *term.IO, name string) *arrival {
	return &arrival{io: o, name: name, bar: progress.NewBar(o)}
}

// progress is called with the bytes there are; total is −1 if it is unknown.
func (w *arrival) progress(done, total int64) {
	now := w.bar.Now()
	if w.begun.IsZero() || done < w.last {
		w.begun, w.first = now, done
	}
	w.last = done
	text := format.Bytes(done)
	if total >= 0 {
		text += " of " + format.Bytes(total)
	}
	if speed := float64(done-w.first) / now.Sub(w.begun).Seconds(); speed > 0 && now.Sub(w.begun) > time.Second/4 {
		text += ", " + format.Bytes(int64(speed)) + "/s"
		if total >= 0 {
			text += ", " + format.Clock(float64(total-done)/speed) + " left"
		}
	}
	w.bar.SetOrSay(done, max(done, total), w.name, text, murmur, w.name+": "+text)
}

// retry is called with the error of an attempt and the wait before the next one.
func (w *arrival) retry(err error, wait time.Duration) {
	w.println("%s: %v; trying again in %v", w.name, err, wait)
}

// reading is called while the download is checked.
func (w *arrival) reading(done, total int64) {
	w.bar.Set(done, total, "checking", format.Percent(float64(done)/float64(max(total, 1))))
}

// println prints a line, above the bar if there is one.
func (w *arrival) println(format string, args ...any) {
	w.bar.Println(w.io.Out, w.io.Wrap(fmt.Sprintf(format, args...), "", "  "))
}
