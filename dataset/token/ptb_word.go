package token

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word emits the word that begins at i, without the clitics at its end.
func (s *ptbScanner) word() {
	i := s.i
	if j := s.abbreviation(i); j > 0 {
		s.put(i, j)
		return
	}
	j := i
	for j < len(s.b) {
		switch c := s.b[j]; class[c] {
		case letter, digit:
			j++
			continue
		case other:
			if n := s.wordAt(j); n > 0 {
				j += n
				continue
			}
		case mark:
			if j > i && s.inside(i, j, c) {
				j++
				continue
			}
			if c == '\'' && s.negation(j) && j-1 > i {
				j-- // n't takes the n along
				s.put(i, j)
				s.put(j, j+len("n't"))
				return
			}
			if c == '\'' && s.negation(j) {
				s.put(i, i+len("n't"))
				return
			}
		}
		break
	}
	s.put(i, j)
}

// inside reports whether the mark c at j joins the characters around it to
// one word that began at i: o'connor, 7.5, 1,000, 8/10. GloVe knows few
// fractions of other numbers: 7.5/10 is three words.
func (s *ptbScanner) inside(i, j int, c byte) bool {
	switch c {
	case '\'':
		return s.wordAt(j+1) > 0 && !s.negation(j) && s.suffix(j) == 0
	case '.', ',':
		return s.digits(j-1, j) && s.digits(j+1, j+2)
	case '/':
		return s.digits(i, j) && s.digits(j+1, j+2)
	}
	return false
}

// digits reports whether b[i:j] exists and has only digits.
func (s *ptbScanner) digits(i, j int) bool {
	if j > len(s.b) {
		return false
	}
	for _, c := range s.b[i:j] {
		if class[c] != digit {
			return false
		}
	}
	return true
}

// wordAt returns the width of the word character at j, 0 if there is none.
func (s *ptbScanner) wordAt(j int) int {
	if j >= len(s.b) {
		return 0
	}
	switch class[s.b[j]] {
	case letter, digit:
		return 1
	case other:
		if r, n := utf8.DecodeRune(s.b[j:]); wordRune(r) {
			return n
		}
	}
	return 0
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// negation reports whether the apostrophe at j is that of n't.
func (s *ptbScanner) negation(j int) bool {
	return j > 0 && s.b[j-1] == 'n' && s.has(j+1, "t") && s.wordAt(j+2) == 0
}

// suffix returns the end of a clitic whose apostrophe is at j, or 0.
func (s *ptbScanner) suffix(j int) int {
	for _, c := range [...]string{"s", "m", "d", "ll", "re", "ve"} {
		if s.has(j+1, c) && s.wordAt(j+1+len(c)) == 0 {
			return j + 1 + len(c)
		}
	}
	return 0
}

// clitic returns the end of the clitic that begins with the apostrophe at i:
// 's behind a word, 'em, 'til, 'cause and decades elsewhere; or 0.
func (s *ptbScanner) clitic(i int) int {
	if s.b[i] != '\'' {
		return 0
	}
	if i > 0 && s.wordBefore(i) {
		return s.suffix(i)
	}
	for _, c := range [...]string{"em", "til", "cause", "n"} {
		if s.has(i+1, c) && s.wordAt(i+1+len(c)) == 0 {
			return i + 1 + len(c)
		}
	}
	if i+3 < len(s.b) && class[s.b[i+1]] == digit && s.b[i+2] == '0' && s.b[i+3] == 's' && s.wordAt(i+4) == 0 {
		return i + 4
	}
	return 0
}

func (s *ptbScanner) wordBefore(i int) bool {
	r, _ := utf8.DecodeLastRune(s.b[:i])
	return wordRune(r)
}

// abbreviation returns the end of single letters with a dot behind each, two
// or more (u.s., e.g.), or 0.
func (s *ptbScanner) abbreviation(i int) int {
	j := i
	for j+1 < len(s.b) && class[s.b[j]] == letter && s.b[j+1] == '.' {
		j += 2
	}
	if j < i+4 || s.wordAt(j) > 0 || s.has(j, ".") {
		return 0
	}
	return j
}

// normalise folds a text that is not ASCII: NFC, lower case, straight quotes.
func (f *folded) normalise(text string) {
	f.reset(len(text))
	if norm.NFC.IsNormalString(text) {
		f.straighten(text, 0, 0)
		return
	}
	var it norm.Iter
	it.InitString(norm.NFC, text)
	for !it.Done() {
		start := it.Pos()
		segment := string(it.Next())
		f.straighten(segment, start, it.Pos())
	}
}

// straighten appends text, made from the bytes start:end of the original; with
// end 0 it is the original, and each character is marked by itself.
func (f *folded) straighten(text string, start, end int) {
	for i, r := range text {
		switch r {
		case '‘', '’', '‚', '‛', '′', '´', 0x91, 0x92:
			f.b = append(f.b, '\'')
		case '“', '”', '„', '‟', '″', '«', '»', 0x93, 0x94:
			f.b = append(f.b, '"')
		case '…', 0x85:
			f.b = append(f.b, "..."...)
		case 0x96:
			f.b = append(f.b, "–"...)
		case 0x97:
			f.b = append(f.b, "—"...)
		default:
			f.b = appendLower(f.b, text, i, r)
		}
		if end > 0 {
			f.mark(start, end)
		} else {
			f.mark(i, i+runeLen(text, i, r))
		}
	}
}
