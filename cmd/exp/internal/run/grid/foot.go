package grid

import (
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/internal/term"
)

// foot has the lines at the bottom of the terminal: a bar for each running run and lines of text below
// them. Text that is written to it appears above. It is not safe for concurrent use.
type foot struct {
	io    *term.IO
	pool  *mpb.Progress
	bars  map[int]*footBar
	lines []*footBar
	names int // columns of the longest name of a bar
}

// footBar is one line; the pool reads its texts when it draws.
type footBar struct {
	*mpb.Bar
	before, after atomic.Pointer[string]
}

// barParts is the number of steps of a bar.
const barParts = 1 << 16

// below is the first priority of lines of text: bars have the indices of their plans.
const below = 1 << 30

// newFoot returns a foot for bars with these names.
func newFoot(o *term.IO, names []string) *foot {
	longest := 0
	for _, n := range names {
		longest = max(longest, term.Width(term.Line(n)))
	}
	return &foot{io: o, names: longest, bars: map[int]*footBar{}, pool: mpb.New(mpb.WithOutput(progress.FromStart{Writer: o.Frames()}), mpb.WithWidth(o.Width()),
		mpb.WithRefreshRate(200*time.Millisecond), mpb.WithAutoRefresh())}
}

// set shows the share of run i that is done, with its name before and a text after the bar.
func (f *foot) set(i int, share float64, name, after string) {
	b := f.bars[i]
	if b == nil {
		b = f.add(mpb.BarStyle().Lbound(" ").Filler("━").Tip("━").Padding("─").Rbound(" "), i)
		f.bars[i] = b
	}
	room := min(f.names, f.io.Width()/2)
	name = term.Cut(term.Line(name), room)
	name += strings.Repeat(" ", room-term.Width(name))
	b.before.Store(&name)
	b.after.Store(&after)
	b.SetCurrent(int64(min(1, share) * barParts))
}

// remove removes the bar of run i.
func (f *foot) remove(i int) {
	if b := f.bars[i]; b != nil {
		b.Abort(true)
		delete(f.bars, i)
	}
}

// summary shows lines of text below the bars.
func (f *foot) summary(lines ...string) {
	for len(f.lines) < len(lines) {
		f.lines = append(f.lines, f.add(mpb.NopStyle(), below+len(f.lines)))
	}
	for k, b := range f.lines {
		text := ""
		if k < len(lines) {
			text = term.Cut(term.Line(lines[k]), f.io.Width())
		}
		b.before.Store(&text)
	}
}

func (f *foot) add(style mpb.BarFillerBuilder, priority int) *footBar {
	b := &footBar{}
	text := func(of *atomic.Pointer[string]) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			if s := of.Load(); s != nil {
				return *s
			}
			return ""
		})
	}
	// The total is one more, so that the bar stays until it is removed.
	b.Bar = f.pool.New(barParts+1, style, mpb.BarPriority(priority), mpb.PrependDecorators(text(&b.before)), mpb.AppendDecorators(text(&b.after)))
	return b
}

// Write writes whole lines above the bars.
func (f *foot) Write(p []byte) (int, error) {
	if _, err := io.WriteString(f.pool, term.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// stop removes all lines.
func (f *foot) stop() {
	for _, b := range f.bars {
		b.Abort(true)
	}
	for _, b := range f.lines {
		b.Abort(true)
	}
	f.pool.Wait()
}
