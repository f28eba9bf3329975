package tables

import (
	"encoding/csv"
	"errors"
	"fmt"
)

// readCSV reads a table as RFC 4180 has it, also with semicolons.
func readCSV(e *emitter, in *text) (How, error) {
	comma, _ := in.delimiter(e.o)
	r := csv.NewReader(&gate{in: in, comma: comma, columns: e.o.Limits.Columns, row: in.line + 1})
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = rune(comma), -1, true
	return readTable(e, CSV, &csvRows{r, e, in.line})
}

type csvRows struct {
	*csv.Reader
	e      *emitter
	before int // lines before the first that csv sees
}

func (c *csvRows) next() ([]string, int, error) {
	fields, err := c.Read()
	if bad := new(csv.ParseError); errors.As(err, &bad) {
		what := fmt.Errorf("byte %d is a quote inside a field: write it twice, and quote the field", bad.Column)
		if bad.Err == csv.ErrQuote && bad.StartLine != bad.Line {
			what = fmt.Errorf("a quoted field begins there and does not end well in line %d, byte %d: close it, and write quotes inside it twice", c.before+bad.Line, bad.Column)
		}
		return nil, 0, c.e.fail(place{unit: "line", number: c.before + bad.StartLine}, "", what)
	}
	if err != nil {
		return nil, 0, err
	}
	line, _ := c.FieldPos(0)
	return fields, c.before + line, nil
}

// gate stops what would fill the memory: package csv reads a row as a whole,
// however long it is and however many columns it has. It follows quotes and
// lines as a sound file has them; in another one csv finds the fault.
type gate struct {
	in       *text
	comma    byte
	columns  int // allowed
	row      int // line where the row begins
	quoted   bool
	lines    int // of the row
	commas   int
	bytes    int64
	overfull error
}

func (g *gate) Read(p []byte) (int, error) {
	if g.overfull != nil {
		return 0, g.overfull
	}
	n, err := g.in.Read(p)
	for i, b := range p[:n] {
		g.bytes++
		switch {
		case b == '"':
			g.quoted = !g.quoted
		case b == '\n':
			g.lines++
			if !g.quoted {
				g.row += g.lines
				g.in.line = g.row - 1
				g.lines, g.commas, g.bytes = 0, 0, 0
			}
		case b == g.comma && !g.quoted:
			g.commas++
		}
		switch {
		case g.commas >= g.columns:
			g.overfull = fmt.Errorf("%s: line %d: more than %d columns: keep those of text and label", g.in.file, g.row, g.columns)
		case g.bytes > 2*g.in.max: // room for quotes and other columns
			g.overfull = fmt.Errorf("%s: line %d: %w; is a quote not closed?", g.in.file, g.row, tooLong(g.in.max))
		default:
			continue
		}
		return i, g.overfull
	}
	return n, err
}
