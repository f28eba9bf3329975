package term

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// door is the writer behind all output to the terminal. It passes text, line ends, tabs
// and the styles set by Paint. Everything else that would control a terminal is escaped
// (see Visible). Text is written at once, except for an incomplete character or style.
type door struct {
	to *sink

	mu   sync.Mutex
	held []byte // the beginning of an incomplete character or style
	out  []byte
}

func (d *door) Write(p []byte) (int, error) { return len(p), d.pass(p, false) }

// pass writes a piece. With last it also writes the bytes held back.
func (d *door) pass(p []byte, last bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) == 0 && plain(p) == len(p) {
		_, err := d.to.Write(p)
		return err
	}
	text := append(d.held, p...)
	out, rest := visible(d.out[:0], text, last, false)
	d.out, d.held = out, bytes.Clone(rest)
	_, err := d.to.Write(out)
	return err
}

// sink writes to w and keeps the first error, because most printers do not check it.
type sink struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := s.w.Write(p)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return n, err
}

func newDoor(w io.Writer) *door { return &door{to: &sink{w: w}} }

// Verbatim returns the writer for files that programs read, such as tables in CSV or a
// model. A pipe or a file gets the bytes unchanged; a terminal gets escaped text.
func (t *IO) Verbatim() io.Writer {
	if d, ok := t.Out.(*door); ok && !t.terminal {
		return d.to
	}
	return t.Out
}

// Redraw replaces the last lines of the terminal by a text, for progress bars.
func (t *IO) Redraw(lines int, text string) {
	frame := []byte{'\r'} // the terminal may have printed ^C
	if lines > 0 {
		frame = fmt.Appendf(frame, "\x1b[%dA\x1b[J", lines)
	}
	if d, ok := t.Out.(*door); ok {
		frame, _ = visible(frame, []byte(text), true, false)
		_, _ = d.to.Write(frame) // Close returns the error
	}
}

// Close writes the bytes held back and returns the first error of the standard output,
// such as a full disk.
func (t *IO) Close() error {
	for _, w := range []io.Writer{t.Err, t.Out} {
		if d, ok := w.(*door); ok {
			d.pass(nil, true)
		}
	}
	if d, ok := t.Out.(*door); ok {
		d.to.mu.Lock()
		defer d.to.mu.Unlock()
		return d.to.err
	}
	return nil
}
