package token

import (
	"slices"
	"strings"
)

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
