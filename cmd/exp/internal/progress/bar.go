package progress

import (
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// Bar is one progress bar at the foot of the terminal; what is written to it
// appears above. It comes with the first set and goes with stop. Where nothing can move
// (term.IO.Moves) it never comes.
type Bar struct {
	io *term.IO

	mu   sync.Mutex
	pool *mpb.Progress
	bar  *mpb.Bar

	text          sync.Mutex // apart: the pool asks for the texts while set waits for it
	before, after string
}

// NewBar returns a bar that is not there yet.
func NewBar(o *term.IO) *Bar { return &Bar{io: o} }

// FromStart begins each frame at the start of the line: the terminal may have
// echoed ^C there.
type FromStart struct{ io.Writer }

func (w FromStart) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(append([]byte{'\r'}, p...))
	return max(0, n-1), err
}

// Set shows done of total, with a text before and one after the bar.
func (b *Bar) Set(done, total int64, before, after string) {
	if !b.io.Moves() {
		return
	}
	b.text.Lock()
	b.before, b.after = term.Line(before), term.Line(after)
	b.text.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pool == nil {
		b.pool = mpb.New(mpb.WithOutput(FromStart{b.io.Frames()}), mpb.WithWidth(b.io.Width()),
			mpb.WithRefreshRate(200*time.Millisecond), mpb.WithAutoRefresh())
		text := func(of *string) decor.Decorator {
			return decor.Any(func(decor.Statistics) string {
				b.text.Lock()
				defer b.text.Unlock()
				return *of
			})
		}
		// The total is one more, so that the bar stays until it is stopped.
		b.bar = b.pool.New(total+1, mpb.BarStyle().Lbound(" ").Filler("━").Tip("━").Padding("─").Rbound(" "),
			mpb.PrependDecorators(text(&b.before)), mpb.AppendDecorators(text(&b.after)))
	}
	b.bar.SetTotal(total+1, false)
	b.bar.SetCurrent(done)
}

// Write writes whole lines above the bar.
func (b *Bar) Write(p []byte) (int, error) {
	b.mu.Lock()
	pool := b.pool
	b.mu.Unlock()
	if pool == nil {
		return b.io.Out.Write(p)
	}
	if _, err := io.WriteString(pool, term.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Stop takes the bar away; what follows goes to the terminal as ever.
func (b *Bar) Stop() {
	b.mu.Lock()
	pool, bar := b.pool, b.bar
	b.pool, b.bar = nil, nil
	b.mu.Unlock()
	if pool != nil {
		bar.Abort(true)
		pool.Wait()
	}
}

// Reading returns what shows how far a file has been read, nothing in a pipe.
func Reading(io *term.IO) (show dataset.Progress, stop func()) {
	show, _, stop = Watching(io)
	return show, stop
}

// Watching returns what shows how far a file has been read and how far word
// vectors have been trained, nothing in a pipe.
func Watching(io *term.IO) (reading dataset.Progress, training func(stage string, fraction float64), stop func()) {
	if !io.Terminal() {
		return nil, nil, func() {}
	}
	w := &Run{bar: NewBar(io)}
	return func(done, total int64) { w.bar.Set(done, total, "reading", format.Bytes(done)) }, w.training, w.bar.Stop
}
