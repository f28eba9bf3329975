package tables

import (
	"bytes"
	"strings"
)

// delimiters are the possible delimiters of a CSV, the most likely first.
const delimiters = ",\t;"

// takeSep reads a first line such as sep=; in which Excel notes the delimiter.
func (t *text) takeSep() {
	head, _ := t.Peek(len("sep=;\r\n"))
	line, _, whole := bytes.Cut(head, []byte("\n"))
	sep, noted := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte("sep="))
	if !whole || !noted || len(sep) != 1 || strings.IndexByte(delimiters, sep[0]) < 0 {
		return
	}
	t.sep = sep[0]
	t.line = 1
	_, _ = t.Discard(len(line) + 1) // was peeked
}

// delimiter finds the delimiter in the first line. Among those outside quotes it prefers the
// first that gives columns with usual names.
func (t *text) delimiter(o Options) (comma byte, named bool) {
	head, _ := t.head() // an error comes again
	first, _, _ := bytes.Cut(head, []byte("\n"))
	there := delimitersIn(first)
	if t.sep != 0 {
		there = []byte{t.sep}
	}
	for _, d := range there {
		fields := strings.Split(strings.TrimRight(string(first), "\r"), string(d))
		for i := range fields {
			fields[i] = strings.Trim(fields[i], `" `)
		}
		_, _, err := choose(fields, o)
		if err == nil && (o.TextColumn != "" || usual(fields, textNames) >= 0) {
			return d, true
		}
	}
	return there[0], false
}

// delimitersIn returns the delimiters outside quotes, or a comma.
func delimitersIn(line []byte) (out []byte) {
	quoted, seen := false, map[byte]bool{}
	for _, b := range line {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			seen[b] = true
		}
	}
	for _, d := range []byte(delimiters) {
		if seen[d] {
			out = append(out, d)
		}
	}
	if out == nil {
		return []byte{','}
	}
	return out
}
