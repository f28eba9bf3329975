// Package term writes the output of commands. A terminal gets colour, tables that fit its
// width and progress bars; a pipe gets plain lines and tab-separated values. Control
// sequences in printed text are escaped: only this package controls the terminal.
package term

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	xterm "golang.org/x/term"
)

// IO is the input and output of a command.
type IO struct {
	In       io.Reader
	Out, Err io.Writer // both escape control sequences

	terminal bool // Out is a terminal
	moves    bool // the terminal can move its cursor
	color    bool
	width    func() int
}

// fallback is the width of a terminal that does not report one.
const fallback = 80

// System returns the process's standard streams. NO_COLOR (set and not empty)
// switches colour off, TERM=dumb colour and progress bars; COLUMNS overrides the width
// that the terminal reports.
func System() *IO {
	out := int(os.Stdout.Fd())
	t := &IO{In: os.Stdin, Out: newDoor(os.Stdout), Err: newDoor(os.Stderr), terminal: xterm.IsTerminal(out)}
	t.moves = t.terminal && os.Getenv("TERM") != "dumb"
	t.color = t.moves && os.Getenv("NO_COLOR") == ""
	t.width = func() int {
		return measure(t.terminal, os.Getenv("COLUMNS"), func() (int, error) { w, _, err := xterm.GetSize(out); return w, err })
	}
	return t
}

// New returns an IO with the given properties, for tests. Width 0 means a pipe, any other a
// terminal that is not dumb.
func New(out, err io.Writer, width int, color bool) *IO {
	return &IO{Out: newDoor(out), Err: newDoor(err), terminal: width > 0, moves: width > 0, color: color, width: func() int { return width }}
}

func measure(terminal bool, columns string, size func() (int, error)) int {
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		return n
	}
	if !terminal {
		return 0
	}
	if n, err := size(); err == nil && n > 0 {
		return n
	}
	return fallback
}

// Terminal reports whether the output is a terminal.
func (t *IO) Terminal() bool { return t.terminal }

// Typed reports whether the input comes from a terminal.
func (t *IO) Typed() bool {
	f, ok := t.In.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// Moves reports whether the output supports cursor movements, as progress bars need: any
// terminal except a dumb one.
func (t *IO) Moves() bool { return t.moves }

// Color reports whether the output takes colour.
func (t *IO) Color() bool { return t.color }

// Width returns the current number of columns; it follows a resized window. For a pipe
// it is 0, no limit, unless COLUMNS is set.
func (t *IO) Width() int { return t.width() }

// Printf writes to the output.
func (t *IO) Printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Say writes a text, wrapped by Wrap, and a line end. Its further lines are indented.
func (t *IO) Say(text string) { t.SayIndented(text, "", "  ") }

// SayIndented is Say with the indents of the first line and of the others.
func (t *IO) SayIndented(text, first, rest string) { fmt.Fprintln(t.Out, t.Wrap(text, first, rest)) }

// Heading writes an empty line and a heading, wrapped by Wrap.
func (t *IO) Heading(text string) {
	fmt.Fprintln(t.Out)
	for line := range strings.SplitSeq(t.Wrap(Line(text), "", ""), "\n") {
		fmt.Fprintln(t.Out, t.Paint(Bold, line))
	}
}

// Wrap breaks a text at the terminal's width. For a pipe it stays one line.
func (t *IO) Wrap(text, first, rest string) string { return Wrap(text, t.Width(), first, rest) }

// TextWidth returns the width for running text: the terminal's width, at most 100.
func (t *IO) TextWidth() int {
	if w := t.Width(); w > 0 {
		return min(w, 100)
	}
	return 100
}

// Complain writes a message to the error output. Lines wider than the terminal are wrapped
// between words; continuation lines are indented.
func (t *IO) Complain(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if w := t.Width(); w > 0 && Width(line) > w {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			line = Wrap(line, w, indent, indent+"  ")
		}
		fmt.Fprintln(t.Err, line)
	}
}

// Style is a set of terminal attributes, by SGR numbers.
type Style string

// The styles in use. The text must be understandable without them.
const (
	Bold Style = "1"
	Dim  Style = "2"
)

// Paint returns the text in a style if the output takes colour.
func (t *IO) Paint(s Style, text string) string {
	if !t.color {
		return text
	}
	return s.On(text)
}

// Lines paints each line of a text separately, because a pager may cut between lines.
func Lines(color bool, s Style, text string) string {
	if !color {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = s.On(line)
	}
	return strings.Join(lines, "\n")
}

// Shade returns the text on a background that shows a strength from 0 (unchanged) to
// 1. The text is black and the background goes from grey to orange at about the same lightness,
// which is readable on dark and on light terminals. Without colour the text
// is put into brackets: [one] from 1/5 on, [[two]] from 3/5, [[[three]]] at 1.
func (t *IO) Shade(strength float64, text string) string { return t.shade(warm, strength, text) }

// ShadeAgainst is Shade for the opposite sign: from grey to blue, and in braces without
// colour.
func (t *IO) ShadeAgainst(strength float64, text string) string { return t.shade(cold, strength, text) }

func (t *IO) shade(by scale, strength float64, text string) string {
	if text == "" || !(strength > 0) {
		return text
	}
	if t.color {
		return Style(fmt.Sprintf("38;5;16;48;5;%d", by.palette[min(int(5*strength+1e-9), 5)])).On(text)
	}
	n := 0
	for _, from := range [...]float64{0.2, 0.6, 1} {
		if strength >= from-1e-9 { // log₂ may round to just below a power of two
			n++
		}
	}
	return strings.Repeat(by.marks[:1], n) + text + strings.Repeat(by.marks[1:], n)
}

// Underline underlines a text. Without colour it puts a tilde before it.
func (t *IO) Underline(text string) string {
	if text == "" {
		return text
	}
	if !t.color {
		return "~" + text
	}
	// A style inside the text must not end the underline early.
	return Style("4").On(strings.ReplaceAll(text, styleEnd, ""))
}

// scale holds the colours of shades, from the palette of 256 colours, one for each fifth of the scale
// and one for its end. They give black text a contrast of 7:1 or more. Colour-blind readers can
// distinguish orange and blue.
type scale struct {
	palette [6]int
	marks   string // the brackets around a text without colour
}

var (
	warm = scale{[6]int{247, 180, 179, 178, 172, 208}, "[]"}
	cold = scale{[6]int{247, 109, 110, 74, 75, 39}, "{}"}
)

// Width returns the number of columns a text takes. Escape sequences take none.
func Width(text string) int { return twwidth.Width(text) }

// Wrap breaks a text at spaces into lines of at most width columns (0: one line), each with its
// indent. The last line has no line end. A longer word, such as a path, stays whole for copying.
func Wrap(text string, width int, first, rest string) string {
	return WrapWords(strings.Fields(text), width, first, rest)
}

// WrapWords does the same with words that may hold spaces or escape sequences.
func WrapWords(words []string, width int, first, rest string) string {
	var out strings.Builder
	out.WriteString(first)
	column, begun := Width(first), false
	for _, w := range words {
		n := Width(w)
		switch {
		case !begun:
		case width > 0 && column+1+n > width:
			out.WriteString("\n" + rest)
			column = Width(rest)
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(w)
		column += n
		begun = true
	}
	return out.String()
}

// Cut shortens a text to width columns, the last of them "…" (0: no limit).
func Cut(text string, width int) string {
	if width <= 0 || Width(text) <= width {
		return text
	}
	return twwidth.Truncate(text, width, "…")
}
