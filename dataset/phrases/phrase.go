package phrases

import (
	"slices"
	"strings"
)

// phrase is part of a sentence in both languages; either may be empty.
type phrase struct{ english, french string }

// then appends phrases in the same order in both languages.
func (p phrase) then(next ...phrase) phrase {
	for _, n := range next {
		p = phrase{join(p.english, n.english), join(p.french, n.french)}
	}
	return p
}

// join joins the parts that are not empty by spaces.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// spelled contracts words that follow each other: an old hat; du jardin for de le jardin,
// qu'elle for que elle. No le or la comes before a vowel here.
func (p phrase) spelled() phrase {
	return phrase{spell(p.english, func(word, next string) (string, bool) {
		if word == "a" && vowel(next) {
			return "an " + next, true
		}
		return "", false
	}), spell(p.french, func(word, next string) (string, bool) {
		switch {
		case word == "de" && next == "le":
			return "du", true
		case word == "de" && next == "les":
			return "des", true
		case elided[word] && vowel(next):
			return word[:len(word)-1] + "'" + next, true
		}
		return "", false
	})}
}

// elided lists the words that lose their e before a vowel.
var elided = map[string]bool{"ne": true, "que": true, "je": true}

// vowel reports whether a word begins with a vowel; the only ones with an
// accent are été, était and étaient.
func vowel(word string) bool {
	return strings.ContainsAny(word[:1], "aeiou") || strings.HasPrefix(word, "é")
}

// spell replaces pairs of words for which together returns a contraction.
func spell(text string, together func(word, next string) (string, bool)) string {
	words := strings.Fields(text)
	out := words[:0]
	for i := 0; i < len(words); i++ {
		word := words[i]
		if i+1 < len(words) {
			if both, ok := together(word, words[i+1]); ok {
				word = both
				i++
			}
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}
