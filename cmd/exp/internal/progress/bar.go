package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

const (
	refresh   = 200 * time.Millisecond // between two drawings
	maxColumn = 60                     // a terminal that is still as wide after it was narrowed has nothing to break
	minBar    = 4                      // a shorter bar is left out
)

// Bar is a progress bar at the bottom of the terminal; lines are printed above it.
// Set shows it and Stop removes it. Without a terminal (term.IO.Moves) it is never shown.
type Bar struct {
	io    *term.IO
	width func() int

	mu            sync.Mutex
	shown         bool
	done, total   int64
	before, after string
	rows          int       // of the bar on the terminal: 1, or 0 for none
	drawn         time.Time // when

	Now     func() time.Time // time.Now, except in tests
	printed time.Time        // when the last line was printed
}

// NewBar returns a bar, not shown yet.
func NewBar(o *term.IO) *Bar {
	return &Bar{io: o, width: o.Width, Now: time.Now, printed: time.Now()}
}

// Set shows done of total, with a text before and one after the bar.
func (b *Bar) Set(done, total int64, before, after string) {
	if !b.io.Moves() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown, b.done, b.total, b.before, b.after = true, done, total, term.Line(before), term.Line(after)
	if time.Since(b.drawn) >= refresh {
		b.draw("")
	}
}

// due reports whether it is time to draw the bar again, or to print a line in a pipe that was quiet
// for so long.
func (b *Bar) due(quiet time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.io.Moves() {
		return time.Since(b.drawn) >= refresh
	}
	return b.Now().Sub(b.printed) >= quiet
}

// SetOrSay is Set on a terminal. In a pipe it prints a line instead, if none was printed for some time.
func (b *Bar) SetOrSay(done, total int64, before, after string, quiet time.Duration, line string) {
	if b.Set(done, total, before, after); !b.io.Moves() && b.due(quiet) {
		b.Println(b.io.Out, line)
	}
}

// Println prints a line, above the bar if there is one.
func (b *Bar) Println(out io.Writer, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.printed = b.Now(); b.shown {
		b.draw(term.Visible(text) + "\n")
		return
	}
	fmt.Fprintln(out, text)
}

// draw replaces the bar on the terminal by a text and the bar as it is now.
func (b *Bar) draw(above string) {
	before := b.rows
	if b.rows = 0; b.shown {
		b.rows, b.drawn = 1, time.Now()
		above += b.line(min(b.width()-1, maxColumn)) + "\n"
	}
	b.io.Redraw(before, above)
}

// line returns the bar in at most width columns.
func (b *Bar) line(width int) string {
	before := term.Cut(b.before, max(1, width/2))
	after := term.Cut(b.after, max(1, width-term.Width(before)-2))
	n := width - term.Width(before) - term.Width(after) - 4
	if n < minBar {
		return before + "  " + after
	}
	full := int(int64(n) * b.done / max(1, b.total))
	full = max(0, min(full, n))
	return before + "  " + strings.Repeat("━", full) + strings.Repeat("─", n-full) + "  " + after
}

// Stop removes the bar.
func (b *Bar) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown = false; b.rows > 0 {
		b.draw("")
	}
}

// Reading shows how much of a file has been read.
func (b *Bar) Reading(done, total int64) { b.Set(done, total, "reading", format.Bytes(done)) }

func (b *Bar) training(stage string, fraction float64) {
	b.Set(int64(1000*fraction), 1000, "word vectors", stage+"  "+format.Percent(fraction))
}

// Watching returns functions that show the progress of reading a file and of training word vectors.
func Watching(io *term.IO) (reading dataset.Progress, training func(stage string, fraction float64), stop func()) {
	b := NewBar(io)
	return b.Reading, b.training, b.Stop
}

// Reviews shows how many of some reviews are done.
func (b *Bar) Reviews(before string, done, of int) {
	b.Set(int64(done), int64(of), before, fmt.Sprintf("%s of %s", format.Thousands(done), format.Counted(of, "review")))
}
