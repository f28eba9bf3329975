package token

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Unicode splits at Unicode's word boundaries (UAX 29), for languages other than English. Texts are
// lower-cased and normalised, and punctuation is split, as by PTB. Differences:
//
//   - an apostrophe inside a word stays there (don't, o'connor, aujourd'hui), but the word after an
//     elision stands alone: l'histoire → l' histoire, dell'arte → dell' arte, qu'elle → qu' elle;
//   - Chinese and Japanese characters are words, except runs of Katakana.
var Unicode = Tokenizer{"unicode", 1, splitUnicode}

func splitUnicode(text string, emit func(word []byte, start, end int)) {
	f := scratch.Get().(*folded)
	defer scratch.Put(f)
	if !f.ascii(text) {
		f.normalise(text)
	}
	s := ptbScanner{folded: f, emit: emit}
	for it := words.FromBytes(f.b); it.Next(); {
		i, j := it.Start(), it.End()
		r, _ := utf8.DecodeRune(f.b[i:])
		switch {
		case i < s.i: // part of <br /> or of a run of dots
		case isSpace(r), unicode.In(r, unicode.Cc, unicode.Cf):
		case class[f.b[i]] == mark:
			s.i = i
			s.mark(false)
		default:
			for k := s.elision(i, j); k > 0; k = s.elision(i, j) {
				s.put(i, k)
				i = k
			}
			s.put(i, j)
		}
	}
}

// elision returns where the word after an elision begins in b[i:j], or 0. The elided word ends with a
// consonant or qu, the next one begins with a Latin vowel or h.
func (s *ptbScanner) elision(i, j int) int {
	at := i + strings.IndexByte(string(s.b[i:j]), '\'')
	if at <= i || at+1 >= j || strings.HasPrefix(string(s.b[i:j]), "aujourd'hui") {
		return 0
	}
	before, _ := utf8.DecodeLastRune(s.b[i:at])
	after, _ := utf8.DecodeRune(s.b[at+1:])
	if !unicode.IsLetter(before) || strings.ContainsRune(vowels, before) && !strings.HasSuffix(string(s.b[i:at]), "qu") || !strings.ContainsRune(vowels+"h", after) {
		return 0
	}
	return at + 1
}

// vowels are those of languages with elisions.
const vowels = "aeiouyàâäáãæèéêëìíîïòóôöœùúûüÿ"
