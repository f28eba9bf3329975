// Package token splits a review into words. A tokeniser is one file and one
// entry in the list below; settings name it (`tokens=ptb`).
//
// Words carry the byte span of the original text they came from, so that an
// attention view can mark them in the review as it was written.
package token

import (
	"fmt"
	"strings"
)

// Tokenizer splits texts into words. It holds no state: any number of
// goroutines may share one. Every text is accepted; bytes that are not UTF-8
// count as U+FFFD.
type Tokenizer interface {
	// Name is what settings call it.
	Name() string
	// Version is raised whenever some text is split differently than before, and
	// runs.PresentVersion with it; caches of split texts carry it.
	Version() int
	// Split calls emit for each word in order. word is lower-cased and
	// normalised, and valid only during the call; text[start:end] is what it
	// was made from.
	Split(text string, emit func(word []byte, start, end int))
}

// Default is the tokeniser that fits GloVe's vocabulary.
const Default = "ptb"

var all = []Tokenizer{PTB{}, Unicode{}, Whitespace{}}

// Get returns the tokeniser of that name; "" means Default.
func Get(name string) (Tokenizer, error) {
	if name == "" {
		name = Default
	}
	for _, t := range all {
		if t.Name() == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("unknown tokeniser %q: choose one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the tokenisers, the default first.
func Names() []string {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name()
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
