package vectors

import (
	"bytes"
	"errors"
	"fmt"

	"imdbexp/dataset/internal/decimal"
	"imdbexp/dataset/internal/stream"
)

// vectorParser is one worker that parses lines.
type vectorParser struct {
	metWords
	row []float32 // of the line being parsed
	err *placeError
}

func (p *vectorParser) run(c *chunker, queue <-chan chunk) {
	for k := range queue {
		if p.err == nil {
			if line, err := p.chunk(k); err != nil {
				p.err = c.bad(line, err)
				c.stop.Store(true)
			}
		}
		c.release(k.text)
	}
}

// chunk parses whole lines; an error has the number of its line.
func (p *vectorParser) chunk(c chunk) (line int, err error) {
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
			return n, err
		}
	}
	return 0, nil
}

// fixLine is what to do about a wrong line.
const fixLine = "correct or remove the line"

// line parses one line: a word, then dim values.
func (p *vectorParser) line(line []byte, n int) error {
	i := bytes.IndexByte(line, ' ')
	if i < 0 {
		return fmt.Errorf("has no values after %s: %s", stream.Quote(string(line)), fixLine)
	}
	if err := p.values(line[i:]); err != nil {
		// The word may contain spaces: the values are the last dim fields.
		j, spaced := p.lastFields(line)
		if !spaced || p.values(line[j:]) != nil {
			return fmt.Errorf("%w: %s", err, fixLine)
		}
		i = j
	}
	word := line[:i]
	if err := goodWord(word); err != nil {
		return err
	}
	copy(p.add(word, n), p.row)
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
			return fmt.Errorf("value %d, %s, is %w", d+1, stream.Quote(string(field)), err)
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
