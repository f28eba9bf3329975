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

// Bar is a progress bar at the bottom of the terminal; text that is written to it appears above it.
// Set shows it and Stop removes it. Without a terminal (term.IO.Moves) it is never shown.
type Bar struct {
	io *term.IO

	mu   sync.Mutex
	pool *mpb.Progress
	bar  *mpb.Bar

	text          sync.Mutex // its own lock: the pool reads the texts while Set waits for the pool
	before, after string
}

// NewBar returns a bar, not shown yet.
func NewBar(o *term.IO) *Bar { return &Bar{io: o} }

// FromStart starts each frame at the beginning of the line, where the terminal may have printed ^C.
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

// Or returns the bar while it is shown, and else out.
func (b *Bar) Or(out io.Writer) io.Writer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pool == nil {
		return out
	}
	return b
}

// Stop removes the bar.
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

// Watching returns functions that show the progress of reading a file and of training word vectors;
// nil in a pipe.
func Watching(io *term.IO) (reading dataset.Progress, training func(stage string, fraction float64), stop func()) {
	if !io.Terminal() {
		return nil, nil, func() {}
	}
	w := &Run{bar: NewBar(io)}
	return func(done, total int64) { w.bar.Set(done, total, "reading", format.Bytes(done)) }, w.training, w.bar.Stop
}
