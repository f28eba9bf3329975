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

// languageWords is how many words are counted.
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
