package term

import (
	"io"
	"sync"
)

// door is the way to the terminal that all printers take: it lets pass text, line ends,
// tabs and the styles that Paint sets, and shows everything else that would control a
// terminal (Visible). Text goes on at once, but for a character or a style that is not
// whole yet.
type door struct {
	to     *sink
	frames bool

	mu   sync.Mutex
	held []byte // the beginning of what is not whole yet
	out  []byte
}

func (d *door) Write(p []byte) (int, error) { return len(p), d.pass(p, false) }

// pass writes a piece; after the last one nothing is held back.
func (d *door) pass(p []byte, last bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) == 0 && plain(p) == len(p) {
		return d.to.write(p)
	}
	text := append(d.held, p...)
	out, rest := visible(d.out[:0], text, reading{frames: d.frames, whole: last})
	d.out, d.held = out, append([]byte(nil), rest...)
	return d.to.write(out)
}

// sink is where a door leads. It keeps the first error: most printers do not look.
type sink struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

func (s *sink) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := s.Write(p)
	return err
}

func (s *sink) Write(p []byte) (int, error) {
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

// Verbatim returns where files for programs are written, such as tables in CSV or a
// model: into a pipe or a file byte by byte, to a terminal as any other text.
func (t *IO) Verbatim() io.Writer {
	if d, ok := t.Out.(*door); ok && !t.terminal {
		return d.to
	}
	return t.Out
}

// Frames returns where progress bars are drawn: it also lets pass what moves them. What
// they show has to be Visible before.
func (t *IO) Frames() io.Writer {
	if d, ok := t.Out.(*door); ok {
		return &door{to: d.to, frames: true}
	}
	return t.Out
}

// Close writes what a printer has left unfinished and returns the first error of the
// standard output: of a disk that is full, say.
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
