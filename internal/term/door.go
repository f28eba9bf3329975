package term

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// door is the writer behind all output to the terminal. It passes text, line ends, tabs
// and the styles set by Paint. Everything else that would control a terminal is escaped
// (see Visible). Text is written at once, except for an incomplete character or style.
type door struct {
	w io.Writer

	mu   sync.Mutex
	held []byte // the beginning of an incomplete character or style
	out  []byte
	err  error // the first of writing, because most printers do not check it
}

func (d *door) Write(p []byte) (int, error) { return len(p), d.pass(p, false) }

// pass writes a piece. With last it also writes the bytes held back.
func (d *door) pass(p []byte, last bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) == 0 && plain(p) == len(p) {
		return d.put(p)
	}
	text := append(d.held, p...)
	out, rest := visible(d.out[:0], text, last, false)
	d.out, d.held = out, bytes.Clone(rest)
	return d.put(out)
}

// put writes bytes as they are.
func (d *door) put(p []byte) (err error) {
	if len(p) > 0 {
		_, err = d.w.Write(p)
		d.err = cmp.Or(d.err, err)
	}
	return err
}

// verbatim writes bytes as they are.
type verbatim struct{ *door }

func (v verbatim) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(p), v.put(p)
}

func newDoor(w io.Writer) *door { return &door{w: w} }

// Verbatim returns the writer for files that programs read, such as tables in CSV or a
// model. A pipe or a file gets the bytes unchanged; a terminal gets escaped text.
func (t *IO) Verbatim() io.Writer {
	if d, ok := t.Out.(*door); ok && !t.terminal {
		return verbatim{d}
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
		_, _ = verbatim{d}.Write(frame) // Close returns the error
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
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.err
	}
	return nil
}

// own begins every sequence that sets a style. Its random number is chosen when the
// program starts, and the door to the terminal removes it. Text from files cannot contain
// this number, so any escape sequence without it is escaped. Between Paint and the door
// it is an ordinary sequence, which takes no columns.
var own = func() string {
	var b [8]byte
	rand.Read(b[:])
	return "\x1b[" + strconv.FormatUint(binary.LittleEndian.Uint64(b[:]), 10) + ";"
}()

// maxOwn is the maximum length of a sequence that begins with own.
const maxOwn = 64

// On returns the text in a style, for writers of an IO.
func (s Style) On(text string) string {
	if text == "" || s == "" {
		return text
	}
	return own + string(s) + "m" + text + styleEnd
}

var styleEnd = own + "0m"

// Visible returns the text with control characters escaped, as \x1b or \u202e. Line ends,
// tabs and the styles of Paint stay.
func Visible(text string) string {
	if plain([]byte(text)) == len(text) {
		return text
	}
	out, _ := visible(nil, []byte(text), true, true)
	return string(out)
}

// Line is Visible for a single line: line ends and tabs become spaces.
func Line(text string) string { return Visible(blanks.Replace(text)) }

// Page is Visible for an HTML page. It turns \r\n into \n first.
func Page(html string) string { return Visible(strings.ReplaceAll(html, "\r\n", "\n")) }

var blanks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// visible appends the escaped text to out. Unless the text is the last piece, it returns the rest:
// the beginning of a character or sequence that may continue in the next one. Styles become those of
// the terminal, or stay as they are with keep.
func visible(out, text []byte, last, keep bool) (_, rest []byte) {
	for {
		n := plain(text)
		out, text = append(out, text[:n]...), text[n:]
		if len(text) == 0 {
			return out, nil
		}
		if n, whole := style(text); n > 0 {
			switch {
			case !whole && !last && n < maxOwn:
				return out, text
			case whole && keep:
				out, text = append(out, text[:n]...), text[n:]
				continue
			case whole:
				out, text = append(append(out, "\x1b["...), text[len(own):n]...), text[n:]
				continue
			}
		}
		if !last && !utf8.FullRune(text) {
			return out, text
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case r == '\r':
			out = append(out, `\r`...)
		case r < utf8.RuneSelf:
			out = fmt.Appendf(out, `\x%02x`, r)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
}

// plain returns the length of the prefix of text that needs no escaping.
func plain(text []byte) int {
	for i := 0; i < len(text); {
		b := text[i]
		if b >= ' ' && b < 0x7f || b == '\n' || b == '\t' {
			i++
			continue
		}
		if b < utf8.RuneSelf {
			return i
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || controls(r) {
			return i
		}
		i += size
	}
	return len(text)
}

// controls reports whether a rune beyond ASCII is a control character (C1), a line or
// paragraph separator, or embeds, overrides or isolates a writing direction, which could
// make a line appear to contain other words. The marks that right-to-left scripts need
// inside words are allowed.
func controls(r rune) bool {
	return r >= 0x80 && r <= 0x9f || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// style returns the length of the sequence beginning with own at the start of text, and
// whether it is complete.
func style(text []byte) (n int, whole bool) {
	if len(text) < len(own) {
		if bytes.HasPrefix([]byte(own), text) {
			return len(text), false
		}
		return 0, false
	}
	if string(text[:len(own)]) != own {
		return 0, false
	}
	for i := len(own); i < min(len(text), maxOwn); i++ {
		switch b := text[i]; {
		case b == 'm':
			return i + 1, true
		case b != ';' && (b < '0' || b > '9'):
			return 0, false
		}
	}
	return min(len(text), maxOwn), false
}
