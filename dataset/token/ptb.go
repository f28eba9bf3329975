package token

import (
	"unicode"
	"unicode/utf8"
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
type PTB struct{}

// Name returns "ptb".
func (PTB) Name() string { return "ptb" }

// Version returns 2.
func (PTB) Version() int { return 2 }

// Split implements Tokenizer.
func (PTB) Split(text string, emit func(word []byte, start, end int)) {
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
func (s *ptbScanner) put(i, j int) {
	start, end := s.span(i, j)
	s.emit(s.b[i:j:j], start, end)
	s.i = j
}

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
