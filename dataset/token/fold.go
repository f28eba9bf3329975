package token

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// folded is a text after lower-casing and normalising. Byte i of b was made
// from text[from[i]:to[i]]; both are nil where b and text stand byte for byte,
// as in all ASCII texts.
type folded struct {
	b        []byte
	from, to []int
}

var scratch = sync.Pool{New: func() any { return new(folded) }}

// span returns the bytes of the text that b[i:j] was made from; i < j.
func (f *folded) span(i, j int) (start, end int) {
	if f.from == nil {
		return i, j
	}
	return f.from[i], f.to[j-1]
}

// ascii folds a text of ASCII alone and reports whether it was one.
func (f *folded) ascii(text string) bool {
	if cap(f.b) < len(text) {
		f.b = make([]byte, len(text), len(text)+len(text)/4)
	}
	f.b, f.from, f.to = f.b[:len(text)], nil, nil
	var or byte
	for i := range f.b {
		c := text[i]
		or |= c
		f.b[i] = lowerASCII[c]
	}
	return or < utf8.RuneSelf
}

// reset empties f for a text that is not ASCII.
func (f *folded) reset(n int) {
	f.b = f.b[:0]
	f.from, f.to = make([]int, 0, n+n/8), make([]int, 0, n+n/8)
}

// mark notes that the bytes appended to b since the last mark were made from
// text[start:end].
func (f *folded) mark(start, end int) {
	for len(f.from) < len(f.b) {
		f.from = append(f.from, start)
		f.to = append(f.to, end)
	}
}

var lowerASCII = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			t[c] += 'a' - 'A'
		}
	}
	return t
}()

// appendLower appends the lower-case form of text's rune r at byte i, as
// Python's str.lower does: Unicode's full mapping, which differs from Go's
// unicode.ToLower for the dotted capital I and for the capital sigma.
func appendLower(b []byte, text string, i int, r rune) []byte {
	switch {
	case r == 'İ':
		return append(b, "i̇"...)
	case r == 'Σ' && finalSigma(text, i):
		return append(b, "ς"...)
	}
	return utf8.AppendRune(b, unicode.ToLower(r))
}

// finalSigma reports whether the sigma at byte i ends a word: a cased letter
// before it and none after it, not counting what has no case (Unicode 3.13,
// Final_Sigma).
func finalSigma(text string, i int) bool {
	before := false
	for j := i; j > 0; {
		r, n := utf8.DecodeLastRuneInString(text[:j])
		if j -= n; caseIgnorable(r) {
			continue
		}
		before = cased(r)
		break
	}
	if !before {
		return false
	}
	for _, r := range text[i+len("Σ"):] {
		if caseIgnorable(r) {
			continue
		}
		return !cased(r)
	}
	return true
}

func cased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) ||
		unicode.In(r, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '^', '`', '¨', '\u00ad', '·', '’', '‘', '․', '‧', '︓', '﹒', '﹕', '＇', '．', '：':
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// isSpace reports what Python's str.isspace and `\s` do: Go's white space and
// the four ASCII separators.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}
