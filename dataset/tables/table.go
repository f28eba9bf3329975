package tables

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sampleRows and sampleBytes limit how much of a table without usual names is read to find the
// roles of its columns.
const (
	sampleRows  = 1000
	sampleBytes = 1 << 20
)

// table makes records of the rows of a CSV or TSV. It finds the role of each column in the
// first rows, which it holds back until then.
type table struct {
	*emitter
	columns columns
	known   bool  // the columns are
	held    []row // the rows so far, until known
	size    int   // bytes in held
	width   int   // columns of the first row
}

type row struct {
	line   int
	fields []string
}

// row takes the next row. Its fields are valid until it returns.
func (t *table) row(line int, fields []string) error {
	if t.known {
		return t.record(line, fields)
	}
	held := row{line, make([]string, len(fields))}
	for i, f := range fields {
		held.fields[i] = strings.Clone(f)
		t.size += len(f)
	}
	t.held = append(t.held, held)
	if t.width = len(t.held[0].fields); len(t.held) == 1 {
		switch decided, err := t.decide(); {
		case err != nil:
			return t.fail(atLine(line), "", err)
		case decided:
			return t.release()
		}
	}
	if len(t.held) > sampleRows || t.size > sampleBytes {
		return t.sample()
	}
	return nil
}

// end is called after the last row.
func (t *table) end() error {
	switch {
	case t.known:
		return nil
	case len(t.held) == 0:
		return fmt.Errorf("%s: %w", t.file, errEmpty)
	}
	return t.sample()
}

// decide finds the columns by the first row. It reports false if more rows are needed: if only one
// of two columns, or none, has a usual name, the first row may be a record.
func (t *table) decide() (decided bool, err error) {
	first := t.held[0].fields
	if t.o.Pairs {
		return true, t.pairColumns(first)
	}
	names := first
	if t.o.Header != "" && t.o.Header != "yes" {
		names = t.withoutHeader()
	}
	t.columns, err = chooseColumns(names, t.o)
	switch {
	case len(names) != t.width:
		return false, fmt.Errorf("--header %s has %d names for %d columns", t.o.Header, len(names), t.width)
	case isUnnamed(err) && t.width == 2 && !t.o.Unlabelled:
		return false, nil
	case isUnnamed(err) && t.width == 1 && (t.o.Unlabelled || t.o.Asked):
		t.columns = textAndLabel(0, -1)
		t.nameColumns(t.o.Header == "yes", true)
		return true, nil
	case isUnnamed(err) && t.o.Header == "" && !textNamed(first) && !labelNamed(first):
		return false, unnamed(err)
	case err != nil:
		return false, err
	}
	sure := t.o.Header != "" || t.width != 2 || t.o.Columns != [Roles]string{} ||
		t.o.Unlabelled || textNamed(first) && (labelNamed(first) || usual(first, usualNames[ID]) >= 0)
	if sure {
		t.nameColumns(t.o.Header == "" || t.o.Header == "yes", false)
	}
	return sure, nil
}

// unnamed adds to an error what to do about a table without names.
func unnamed(err error) error {
	return fmt.Errorf("%w. If these are not names, give them in order, such as --header label,title,text", err)
}

// withoutHeader returns the names of the columns of a table whose first row is data: those of
// Options.Header, or numbers.
func (t *table) withoutHeader() []string {
	if h := t.o.Header; h != "" && h != "yes" && h != "no" {
		return strings.Split(h, ",")
	}
	names := make([]string, t.width)
	for i := range names {
		names[i] = "column " + strconv.Itoa(i+1)
	}
	return names
}

// nameColumns sets the names of the columns, and removes the row of names from the records.
// guessed says that the first row itself did not tell whether it names the columns.
func (t *table) nameColumns(named, guessed bool) {
	first := t.held[0]
	names := t.withoutHeader()
	if named {
		names, t.held = first.fields, t.held[1:]
	}
	for role, i := range t.columns {
		if i >= 0 {
			t.how.Columns[role] = strings.TrimSpace(names[i])
		}
	}
	if !guessed || t.o.Header != "" {
		return
	}
	as, header := "data; if it names the columns", "yes"
	if named {
		as, header = "names of columns; if it is data", "no"
	}
	t.how.Guess = fmt.Sprintf("line %d (%s) is read as %s, give --header %s", first.line, shown(first.fields), as, header)
}

// shown shortens a row for a message.
func shown(row []string) string {
	out := slices.Clone(row)
	for i, f := range out {
		if r := []rune(f); len(r) > 30 {
			f = string(r[:30]) + "…"
		}
		out[i] = strconv.Quote(f)
	}
	return strings.Join(out, ", ")
}

// sample finds the columns of a table of two columns by its first rows, and whether the first row
// names them. It does if it has a usual name and its label does not occur again, or if it has two
// words and its label is the only one that is not a number. Any other first row is data: a lost
// review is worse than a name among the reviews.
func (t *table) sample() error {
	first := t.held[0]
	usually := t.o.Header == "" && (textNamed(first.fields) || labelNamed(first.fields))
	values := [2]map[string]int{{}, {}} // how often each value occurs
	for _, r := range t.held {
		if len(r.fields) == t.width {
			values[0][strings.TrimSpace(r.fields[0])]++
			values[1][strings.TrimSpace(r.fields[1])]++
		}
	}
	label := t.columns[Label]
	switch {
	case !usually:
		if label = t.labelColumn(values); label < 0 {
			return t.fail(atLine(first.line), "", unnamed(&columnError{Text, "", first.fields}))
		}
		t.columns = textAndLabel(1-label, label)
	case label < 0: // a model's texts, whose other column may hold their names
		if label = 1 - t.columns[Text]; t.labels(values[label]) > 0 {
			t.columns[Label] = label
		}
	}
	its := strings.TrimSpace(first.fields[label])
	known := t.o.IsLabel != nil && t.o.IsLabel(its)
	named := values[label][its] == 1 && !known
	if !usually {
		named = named && identifier.MatchString(first.fields[0]) && identifier.MatchString(first.fields[1]) && len(values[label]) > 1
		for v := range values[label] {
			named = named && (v == its || isNumber(v))
		}
	}
	if t.o.Header != "" {
		named = t.o.Header == "yes"
	}
	if usually && !named { // so the other column may hold the labels
		t.columns = textAndLabel(1-label, label)
	}
	t.nameColumns(named, !known)
	return t.release()
}

// labelColumn returns the column with more known labels, or else with fewer different values, or −1
// for a tie.
func (t *table) labelColumn(values [2]map[string]int) int {
	a, b := -t.labels(values[0]), -t.labels(values[1])
	if a == b {
		a, b = len(values[0]), len(values[1])
	}
	return map[int]int{0: -1, -1: 0, 1: 1}[cmp.Compare(a, b)]
}

// labels returns how many rows have a label that the model knows.
func (t *table) labels(values map[string]int) (n int) {
	for v, rows := range values {
		if t.o.IsLabel != nil && t.o.IsLabel(v) {
			n += rows
		}
	}
	return n
}

// identifier is a word that can name a column.
var identifier = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_.-]*$`)

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return err == nil
}

// release yields the rows that were held back.
func (t *table) release() error {
	t.known = true
	held := t.held
	t.held = nil
	for _, r := range held {
		if err := t.record(r.line, r.fields); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) record(line int, row []string) error {
	if len(row) != t.width {
		err := RowError{Role: Roles, What: fmt.Sprintf("%d columns instead of %d", len(row), t.width), Fix: "fill in what is missing; quote a field that holds a line break"}
		if len(row) > t.width {
			err.Fix = "quote a field that holds the delimiter"
		}
		return t.bad(atLine(line), err)
	}
	var f fields
	for role, i := range t.columns {
		if i >= 0 {
			f[role] = row[i]
		}
	}
	return t.emitter.record(atLine(line), f)
}
