package token

import (
	"bytes"
	"unicode/utf8"
)

// Whitespace lower-cases the raw text and splits it at white space, as the
// original experiments did with Python's str.lower and `\S+`: punctuation and
// "<br" stay glued to the words.
type Whitespace struct{}

// Name returns "whitespace".
func (Whitespace) Name() string { return "whitespace" }

// Version returns 1.
func (Whitespace) Version() int { return 1 }

// Split implements Tokenizer.
func (Whitespace) Split(text string, emit func(word []byte, start, end int)) {
	f := scratch.Get().(*folded)
	defer scratch.Put(f)
	if !f.ascii(text) {
		f.reset(len(text))
		for i, r := range text {
			f.b = appendLower(f.b, text, i, r)
			f.mark(i, i+runeLen(text, i, r))
		}
	}
	for i, b := 0, f.b; i < len(b); {
		j := len(b)
		if k := bytes.IndexFunc(b[i:], isSpace); k >= 0 {
			j = i + k
		}
		if j > i {
			start, end := f.span(i, j)
			emit(b[i:j:j], start, end)
		}
		_, n := utf8.DecodeRune(b[j:])
		i = j + n
	}
}

// runeLen returns the bytes that the rune r takes at text[i:]: one where the
// bytes are not UTF-8 and r stands for them.
func runeLen(text string, i int, r rune) int {
	if r != utf8.RuneError {
		return utf8.RuneLen(r)
	}
	_, n := utf8.DecodeRuneInString(text[i:])
	return n
}
