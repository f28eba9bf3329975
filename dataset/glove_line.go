package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"imdbexp/dataset/internal/decimal"
)

// vectorParser is one worker that parses lines.
type vectorParser struct {
	name  string
	dim   int
	index map[string]int32 // words to keep; nil keeps all
	kept  []keptVector
	lines int
	rows  []float32 // room for kept rows, handed out piece by piece
	row   []float32
	err   *lineError

	chunker *chunker
}

// keptVector is a word whose vector is wanted.
type keptVector struct {
	word string // empty where id tells it
	id   int32  // place among the words to keep
	line int
	row  []float32
}

func (p *vectorParser) run(queue <-chan chunk) {
	p.row = make([]float32, p.dim)
	for c := range queue {
		if p.err == nil {
			p.chunk(c)
		}
		if p.err != nil {
			p.chunker.stop.Store(true)
		}
		p.chunker.release(c.text)
	}
}

func (p *vectorParser) chunk(c chunk) {
	text := c.text
	for n := c.line; len(text) > 0; n++ {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		line = bytes.TrimRight(line, " \r")
		if len(line) == 0 {
			continue
		}
		if err := p.line(line, n); err != nil {
			p.err = &lineError{p.name, n, err}
			return
		}
	}
}

// line parses one line: a word, then dim values.
func (p *vectorParser) line(line []byte, n int) error {
	i := bytes.IndexByte(line, ' ')
	if i < 0 {
		return fmt.Errorf("has no values after %s", quoteName(string(line)))
	}
	if err := p.values(line[i:]); err != nil {
		// The word itself may hold spaces: the values are the last dim fields.
		j, spaced := p.lastFields(line)
		if !spaced || p.values(line[j:]) != nil {
			return err
		}
		i = j
	}
	word := line[:i]
	if !utf8.Valid(word) {
		return fmt.Errorf("the word %q is not UTF-8: convert the file, for example with iconv -t UTF-8", word)
	}
	p.lines++
	k := keptVector{line: n}
	if p.index == nil {
		k.word = string(word)
	} else {
		id, ok := p.index[string(word)]
		if !ok {
			return nil
		}
		k.id = id
	}
	if len(p.rows) < p.dim {
		p.rows = make([]float32, 1024*p.dim)
	}
	k.row, p.rows = p.rows[:p.dim:p.dim], p.rows[p.dim:]
	copy(k.row, p.row)
	p.kept = append(p.kept, k)
	return nil
}

// values parses " 0.1 0.2 …" into p.row.
func (p *vectorParser) values(b []byte) error {
	for d := range p.row {
		if len(b) == 0 {
			return fmt.Errorf("has %d values instead of %d", d, p.dim)
		}
		v, n, err := decimal.Float32(b[1:])
		if err == nil && 1+n < len(b) && b[1+n] != ' ' {
			err = decimal.ErrSyntax
		}
		if err != nil {
			field, _, _ := bytes.Cut(b[1:], []byte(" "))
			return fmt.Errorf("value %d, %s, is %w", d+1, quoteName(string(field)), err)
		}
		p.row[d] = v
		b = b[1+n:]
	}
	if len(b) > 0 {
		return fmt.Errorf("has %d values instead of %d", p.dim+bytes.Count(b, []byte(" ")), p.dim)
	}
	return nil
}

// lastFields returns where the last dim fields begin, at the space before them.
// A line whose other fields, the first apart, are numbers too has too many
// values and no word with spaces.
func (p *vectorParser) lastFields(line []byte) (at int, ok bool) {
	at = len(line)
	for range p.dim {
		if at = bytes.LastIndexByte(line[:at], ' '); at <= 0 {
			return 0, false
		}
	}
	fields := bytes.Split(line[:at], []byte(" "))
	for _, f := range fields[1:] {
		_, n, err := decimal.Float32(f)
		if n == len(f) && err == nil || errors.Is(err, decimal.ErrRange) {
			return 0, false
		}
	}
	return at, len(fields) > 1
}
