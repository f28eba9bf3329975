package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const (
	refresh   = 200 * time.Millisecond // between two drawings
	maxColumn = 60                     // of the bar: a terminal narrowed to this width need not wrap it
	minBar    = 4                      // a shorter bar is omitted
)

// Bar is a progress bar at the bottom of the terminal; lines are printed above it.
// Set shows it and Stop removes it. Without a terminal (term.IO.Moves) it is never shown.
type Bar struct {
	io *term.IO

	mu            sync.Mutex
	shown         bool
	done, total   int64
	before, after string
	rows          int       // of the bar on the terminal: 1, or 0 for none
	drawn         time.Time // last time

	printed time.Time // when the last line was printed
}

// NewBar returns a bar, not shown yet.
func NewBar(o *term.IO) *Bar {
	return &Bar{io: o, printed: time.Now()}
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

// due reports whether to draw the bar again or, in a pipe, whether no line was printed for the time
// quiet.
func (b *Bar) due(quiet time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.io.Moves() {
		return time.Since(b.drawn) >= refresh
	}
	return time.Since(b.printed) >= quiet
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
	if b.printed = time.Now(); b.shown {
		b.draw(term.Visible(text) + "\n")
		return
	}
	fmt.Fprintln(out, text)
}

// draw replaces the bar on the terminal with a text and the current bar.
func (b *Bar) draw(above string) {
	before := b.rows
	if b.rows = 0; b.shown {
		b.rows, b.drawn = 1, time.Now()
		above += b.line(min(b.io.Width()-1, maxColumn)) + "\n"
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

// Reading returns options of data whose progress is shown until stop is called.
func Reading(io *term.IO, warn func(error)) (o folder.Options, stop func()) {
	b := NewBar(io)
	return folder.Options{Warn: warn, Progress: b.Reading}, b.Stop
}

// Reviews shows how many reviews are done.
func (b *Bar) Reviews(before string, done, of int) {
	b.Set(int64(done), int64(of), before, fmt.Sprintf("%s of %s", format.Thousands(done), format.Counted(of, "review")))
}

// cell is a value of an epoch: a column of a table on a terminal, a part of a line in a pipe.
type cell struct {
	group, head string
	width       int
	text        string // in the column
	part        string // of the line, with leading spaces
}

// cells returns the values of an epoch.
func cells(m *runs.Metrics, speed float64, epochs int, left string) (out []cell) {
	at := fmt.Sprintf("%d/%d", m.Epoch, epochs)
	out = append(out, cell{"", "epoch", 7, at, "epoch " + at})
	split := func(name string, loss, acc *float64) {
		l, a := cell{name, "loss", 8, format.Optional(loss, 4), ""}, cell{"", "acc", 7, format.Optional(acc, 2), ""}
		if loss != nil || acc != nil {
			l.part, a.part = "  "+name+" loss "+l.text, " acc "+a.text+" %"
		}
		out = append(out, l, a)
	}
	split("train", m.TrainLoss, m.TrainAcc)
	if m.ValidAcc != nil {
		split("valid", m.ValidLoss, m.ValidAcc)
	}
	split("test", m.TestLoss, m.TestAcc)
	for i, c := range runs.Columns(*m) {
		text := format.Optional(c.Of(m), c.Decimals)
		part := map[bool]string{true: " "}[i == 0] + " " + c.Column + " " + text + map[bool]string{true: " %"}[c.Unit == "percent"]
		out = append(out, cell{"", c.Column, max(7, len(c.Column)+2), text, part})
	}
	if m.TestEntropy != nil {
		text := format.Optional(m.TestEntropy, 3)
		out = append(out, cell{"", "entropy", 8, text, fmt.Sprintf("  entropy train %s test %s nats", format.Optional(m.TrainEntropy, 3), text)})
	}
	words := format.SI(speed)
	return append(out, cell{"", "words/s", 9, words, "  " + words + " words/s"}, cell{"", "left", 8, left, "  " + left + " left"})
}

// fitting returns the cells that fit a width: all, or without speed, or without both speed and time left; else nil.
func fitting(all []cell, width int) []cell {
	n := len(all)
	for _, some := range [][]cell{all, slices.Concat(all[:n-2], all[n-1:]), all[:n-2]} {
		total := 0
		for _, c := range some {
			total += c.width
		}
		if total <= width {
			return some
		}
	}
	return nil
}

// joined joins the cells of a line.
func joined(cells []cell, of func(cell) string) string {
	var out strings.Builder
	for _, c := range cells {
		out.WriteString(of(c))
	}
	return strings.TrimRight(out.String(), " ")
}

// DataLine lists the data sets of the plans, with the reasons.
func DataLine(plans []*plan.Plan, auto plan.Auto) string {
	var parts []string
	for _, p := range plans {
		s, _ := p.Set.Get("data")
		why := auto.Why
		switch {
		case s.From != "default":
			why = "by " + s.From
		case s.Value != auto.Data:
			why = "built in"
		}
		if part := fmt.Sprintf("%s (%s)", s.Value, why); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "data: " + strings.Join(parts, "; ")
}

// Overrides prints the settings that are not at their defaults, with their sources. For several plans it
// prints only settings that follow from others, each once, with its experiments unless all have it.
func Overrides(io *term.IO, plans ...*plan.Plan) {
	var lines []string
	names, all := map[string][]string{}, map[string]bool{}
	for _, p := range plans {
		all[p.Experiment.Name] = true
		for _, o := range p.Overrides() {
			line := o.From + ": " + strings.Join(o.Assignments, " ")
			if (o.Follows || len(plans) == 1) && names[line] == nil {
				lines = append(lines, line)
			}
			if !slices.Contains(names[line], p.Experiment.Name) {
				names[line] = append(names[line], p.Experiment.Name)
			}
		}
	}
	for _, line := range lines {
		if n := names[line]; len(n) < len(all) {
			line += " (" + strings.Join(n, ", ") + ")"
		}
		io.SayIndented(line, "  ", "    ")
	}
}
