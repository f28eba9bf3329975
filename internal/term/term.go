// Package term is where a command's output goes. One IO decides what a terminal
// gets (colour, tables cut to its width, progress bars) and what a pipe gets
// (plain lines, tab-separated values). Nothing that is printed controls the terminal
// but what this package itself sets.
package term

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	xterm "golang.org/x/term"
)

// IO is the input and output of a command.
type IO struct {
	In       io.Reader
	Out, Err io.Writer // both let nothing through that would control a terminal

	terminal bool // Out is a terminal
	moves    bool // which can go back to what it has written
	color    bool
	width    func() int
}

// fallback is the width of a terminal that does not tell.
const fallback = 80

// System returns the process's standard streams. NO_COLOR (set and not empty)
// switches colour off, TERM=dumb colour and progress bars; COLUMNS overrides the width
// that the terminal tells.
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

// Moves reports whether the output takes what moves its cursor, as progress bars do: a
// terminal but a dumb one.
func (t *IO) Moves() bool { return t.moves }

// Color reports whether the output takes colour.
func (t *IO) Color() bool { return t.color }

// Width returns the columns there are now: a window may be resized. For a pipe
// it is 0, no limit, unless COLUMNS asks for one.
func (t *IO) Width() int { return t.width() }

// Printf writes to the output.
func (t *IO) Printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Say writes a text and a line end, broken as Wrap does it.
func (t *IO) Say(text, first, rest string) { fmt.Fprintln(t.Out, t.Wrap(text, first, rest)) }

// Heading writes a heading behind an empty line, broken as Wrap does it.
func (t *IO) Heading(text string) {
	fmt.Fprintln(t.Out)
	for line := range strings.SplitSeq(t.Wrap(Line(text), "", ""), "\n") {
		fmt.Fprintln(t.Out, t.Paint(Bold, line))
	}
}

// Wrap breaks a text at the terminal's width; in a pipe it stays one line.
func (t *IO) Wrap(text, first, rest string) string { return Wrap(text, t.Width(), first, rest) }

// TextWidth is where running text is broken: at the terminal's width, 100 at most.
func (t *IO) TextWidth() int {
	if w := t.Width(); w > 0 {
		return min(w, 100)
	}
	return 100
}
