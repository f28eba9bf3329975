package term

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// own begins every sequence that sets a style. Its number is drawn when the program
// starts and never leaves it: the door to the terminal takes it out. What is read from
// files cannot know it, so that an escape sequence without it is text that somebody
// wrote, and is shown as such. Between Paint and the door it is a sequence like any
// other, which takes no columns.
var own = func() string {
	var b [8]byte
	rand.Read(b[:])
	return "\x1b[" + strconv.FormatUint(binary.LittleEndian.Uint64(b[:]), 10) + ";"
}()

// mostOwn bounds a whole sequence of one's own.
const mostOwn = 64

// On returns the text in a style, for writers of an IO.
func (s Style) On(text string) string {
	if text == "" || s == "" {
		return text
	}
	return own + string(s) + "m" + text + styleEnd
}

var styleEnd = own + "0m"

// Visible returns the text with all that would control a terminal written out, as
// \x1b or \u202e; line ends, tabs and the styles of Paint stay.
func Visible(text string) string {
	if plain([]byte(text)) == len(text) {
		return text
	}
	out, _ := visible(nil, []byte(text), reading{whole: true, keep: true})
	return string(out)
}

// Line is Visible of a text that stands in a line: line ends and tabs are blanks.
func Line(text string) string { return Visible(blanks.Replace(text)) }

// Page is Visible of a page for a browser, to which a line's end may be two characters.
func Page(html string) string { return Visible(strings.ReplaceAll(html, "\r\n", "\n")) }

var blanks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// reading says what is read as more than text.
type reading struct {
	keep   bool // one's own sequences stay as they are; otherwise they become the terminal's
	frames bool // those of progress bars pass, too
	whole  bool // nothing follows
}

// visible appends the text to out. What may be the beginning of something that goes on
// in the next piece is returned.
func visible(out, text []byte, o reading) (_, rest []byte) {
	for {
		n := plain(text)
		out, text = append(out, text[:n]...), text[n:]
		if len(text) == 0 {
			return out, nil
		}
		if n, whole := style(text); n > 0 {
			switch {
			case !whole && !o.whole && n < mostOwn:
				return out, text
			case whole && o.keep:
				out, text = append(out, text[:n]...), text[n:]
				continue
			case whole:
				out, text = append(append(out, "\x1b["...), text[len(own):n]...), text[n:]
				continue
			}
		}
		if n := frame(text); o.frames && n > 0 {
			out, text = append(out, text[:n]...), text[n:]
			continue
		}
		if !o.whole && !utf8.FullRune(text) {
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

// plain returns how many bytes at the beginning of the text are nothing but text.
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

// controls reports whether a rune beyond ASCII is a control character (C1), ends a line
// where no line should end, or embeds, overrides or isolates a direction of writing, so
// that a line would seem to hold other words than it does. The marks that belong to words
// of scripts from right to left do not.
func controls(r rune) bool {
	return r >= 0x80 && r <= 0x9f || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// style returns how long the sequence of one's own at the beginning of the text is, and
// whether it is there to its end.
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
	for i := len(own); i < min(len(text), mostOwn); i++ {
		switch b := text[i]; {
		case b == 'm':
			return i + 1, true
		case b != ';' && (b < '0' || b > '9'):
			return 0, false
		}
	}
	return min(len(text), mostOwn), false
}

// frame returns how long what moves a progress bar is at the beginning of the text: back
// to the start of the line, or up some lines and all below cleared (mpb).
func frame(text []byte) int {
	if text[0] == '\r' {
		return 1
	}
	rest, ok := bytes.CutPrefix(text, []byte("\x1b["))
	if !ok {
		return 0
	}
	digits := 0
	for digits < len(rest) && digits < 4 && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if end := []byte("A\x1b[J"); digits > 0 && bytes.HasPrefix(rest[digits:], end) {
		return len("\x1b[") + digits + len(end)
	}
	return 0
}
