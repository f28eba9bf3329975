// Package token splits a review into words. A tokeniser is one
// entry in the list below; settings name it (`tokens=ptb`).
//
// Words carry the byte span of the original text they came from, so that an
// attention view can mark them in the review as it was written.
package token

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Tokenizer splits texts into words. It holds no state: any number of
// goroutines may share one. Every text is accepted; bytes that are not UTF-8
// count as U+FFFD.
type Tokenizer struct {
	Name string // in settings

	// Version is raised whenever some text is split differently than before, and
	// runs.PresentVersion with it; caches of split texts carry it.
	Version int

	// Split calls emit for each word in order. word is lower-cased and
	// normalised, and valid only during the call; text[start:end] is what it
	// was made from.
	Split func(text string, emit func(word []byte, start, end int))
}

// Default is the tokeniser that fits GloVe's vocabulary.
const Default = "ptb"

var all = []Tokenizer{PTB, Unicode, Whitespace}

// Get returns the tokeniser of that name; "" means Default.
func Get(name string) (Tokenizer, error) {
	if i := slices.Index(Names(), cmp.Or(name, Default)); i >= 0 {
		return all[i], nil
	}
	return Tokenizer{}, fmt.Errorf("unknown tokeniser %q: choose one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the tokenisers, the default first.
func Names() (names []string) {
	for _, t := range all {
		names = append(names, t.Name)
	}
	return names
}

// Token is one word and where it stands: text[Start:End].
type Token struct {
	Word       string
	Start, End int
}

// Tokens collects the words of one text.
func Tokens(t Tokenizer, text string) []Token {
	var tokens []Token
	t.Split(text, func(word []byte, start, end int) {
		tokens = append(tokens, Token{string(word), start, end})
	})
	return tokens
}

// Language counts words of texts to tell whether they are English.
type Language struct{ words, english, other, bytes, beyond int }

// The most frequent words of English, and of other languages in Latin letters: together a tenth
// and more of most texts.
var (
	englishWords = strings.Fields("the and of to this it is was in that")
	otherWords   = strings.Fields("de la le les des et est un une que qui der das und ist nicht el los las y en es il che di per da do não uma och att het een van nie jest się ve bir")
)

// languageWords is the max number of words to count.
const languageWords = 20_000

// Add counts a text.
func (l *Language) Add(text string) {
	if l.words >= languageWords {
		return
	}
	for i := range len(text) {
		if text[i] >= 0x80 {
			l.beyond++
		}
	}
	l.bytes += len(text)
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		l.words++
		switch {
		case slices.Contains(englishWords, w):
			l.english++
		case slices.Contains(otherWords, w):
			l.other++
		}
	}
}

// Other reports whether the texts are in another language than English: its words are more frequent, or
// a fifth of the bytes belongs to other than Latin letters without accents.
func (l *Language) Other() bool {
	return l.other > l.english && 20*l.other >= l.words || 5*l.beyond > l.bytes
}

// Whitespace lower-cases the raw text and splits it at white space, as the
// original experiments did with Python's str.lower and `\S+`: punctuation and
// "<br" stay glued to the words.
var Whitespace = Tokenizer{"whitespace", 1, splitWhitespace}

func splitWhitespace(text string, emit func(word []byte, start, end int)) {
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
