package token

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// PTB splits as the Penn Treebank does in the simplified form of the Stanford
// tokeniser that GloVe 6B was trained with, lower-cased:
//
//   - HTML breaks separate words and vanish;
//   - text is normalised to NFC, typographic quotes are straightened (also those of
//     Windows-1252), and two single quotes become one
//     double quote;
//   - clitics are separate words: it's → it 's, don't → do n't, cannot stays;
//   - every other punctuation mark is a word, but runs of dots become "..." and
//     runs of hyphens "--"; a single hyphen also splits: well-acted → well -
//     acted, which loses a few vectors of compounds and finds more of their
//     parts;
//   - names (o'connor), numbers (7.5, 1,000, 8/10), abbreviations of single
//     letters (u.s.) and 'em, 'til, 'cause, '80s stay whole.
//
// Unlike Stanford's it also splits abbreviations of several letters (mr., etc.) and does not split
// gonna and gotta. A variation selector after an emoji (U+FE0F) is a word of its own.
var PTB = Tokenizer{"ptb", 2, splitPTB}

func splitPTB(text string, emit func(word []byte, start, end int)) {
	f := scratch.Get().(*folded)
	defer scratch.Put(f)
	if !f.ascii(text) {
		f.normalise(text)
	}
	s := ptbScanner{folded: f, emit: emit}
	for s.i < len(f.b) {
		s.next()
	}
}

// Classes of the bytes of a folded text.
const (
	space = iota
	letter
	digit
	mark  // punctuation, each mark a word
	other // first byte of a character outside ASCII
)

var class = func() (t [256]byte) {
	for c := range t {
		switch r := rune(c); {
		case c >= utf8.RuneSelf:
			t[c] = other
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			t[c] = letter
		case '0' <= r && r <= '9':
			t[c] = digit
		case isSpace(r), r < ' ', r == 0x7f:
			t[c] = space
		default:
			t[c] = mark
		}
	}
	return t
}()

// ptbScanner walks over a folded text; i is the current byte.
type ptbScanner struct {
	*folded
	i    int
	emit func(word []byte, start, end int)
}

// next steps over one word or separator.
func (s *ptbScanner) next() {
	i := s.i
	switch class[s.b[i]] {
	case space:
		s.i++
	case letter, digit:
		s.word()
	case mark:
		s.mark(true)
	default:
		r, n := utf8.DecodeRune(s.b[i:])
		switch {
		case isSpace(r), unicode.In(r, unicode.Cc, unicode.Cf):
			s.i += n
		case wordRune(r):
			s.word()
		default:
			s.put(i, i+n)
		}
	}
}

// put emits b[i:j] as it stands and moves behind it.
func (s *ptbScanner) put(i, j int) { s.as(s.b[i:j:j], i, j) }

// as emits word for b[i:j] and moves behind it.
func (s *ptbScanner) as(word []byte, i, j int) {
	start, end := s.span(i, j)
	s.emit(word, start, end)
	s.i = j
}

var (
	dots   = []byte("...")
	dashes = []byte("--")
	quotes = []byte(`"`)
	quote  = []byte("'")
)

// mark emits the punctuation at i, or the English clitic that begins there.
func (s *ptbScanner) mark(clitics bool) {
	i := s.i
	switch c := s.b[i]; c {
	case '<':
		if j := s.htmlBreak(i); j > 0 {
			s.i = j
			return
		}
	case '.':
		if j := s.run(i); j > i+1 {
			s.as(dots, i, j)
			return
		}
	case '-':
		if j := s.run(i); j > i+1 {
			s.as(dashes, i, j)
			return
		}
	case '\'', '`':
		if i+1 < len(s.b) && s.b[i+1] == c {
			s.as(quotes, i, i+2)
			return
		}
		if j := s.clitic(i); clitics && j > 0 {
			s.put(i, j)
			return
		}
		s.as(quote, i, i+1)
		return
	}
	s.put(i, i+1)
}

// run returns the end of the run of the byte at i.
func (s *ptbScanner) run(i int) int {
	j := i + 1
	for j < len(s.b) && s.b[j] == s.b[i] {
		j++
	}
	return j
}

// htmlBreak returns the end of <br>, <br/>, <br /> or </br> at i, or 0.
func (s *ptbScanner) htmlBreak(i int) int {
	j := s.skip(i+1, '/')
	if !s.has(j, "br") {
		return 0
	}
	j = s.skip(j+2, '/')
	if !s.has(j, ">") {
		return 0
	}
	return j + 1
}

// skip returns the next byte at or after i that is neither white space nor c.
func (s *ptbScanner) skip(i int, c byte) int {
	for i < len(s.b) && (s.b[i] == c || class[s.b[i]] == space) {
		i++
	}
	return i
}

func (s *ptbScanner) has(i int, prefix string) bool {
	return i+len(prefix) <= len(s.b) && string(s.b[i:i+len(prefix)]) == prefix
}

// word emits the word that begins at i, without the clitics at its end.
func (s *ptbScanner) word() {
	i := s.i
	if j := s.abbreviation(i); j > 0 {
		s.put(i, j)
		return
	}
	j := i
	for j < len(s.b) {
		c := s.b[j]
		if class[c] == letter || class[c] == digit {
			j++
			continue
		}
		if n := s.wordAt(j); n > 0 {
			j += n
			continue
		}
		if class[c] == mark && j > i && s.inside(i, j, c) {
			j++
			continue
		}
		if c == '\'' && s.negation(j) {
			if j--; j > i { // n't takes the n along
				s.put(i, j)
			}
			s.put(j, j+len("n't"))
			return
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
	if r, _ := utf8.DecodeLastRune(s.b[:i]); i > 0 && wordRune(r) {
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
