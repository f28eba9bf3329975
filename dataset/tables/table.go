package tables

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"imdbexp/dataset"
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
	known   bool  // whether columns are chosen
	held    []row // the rows so far, until known
	size    int   // bytes in held
	width   int   // columns of the first row
}

type row struct {
	line   int
	fields []string
}

// row takes the next row. The fields are valid until row returns.
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
	if full := len(t.held) > sampleRows || t.size > sampleBytes; full || len(t.held) == 1 {
		return t.choose(full)
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
	return t.choose(true)
}

// choose finds the columns and yields the rows that were held back. Unless all is true it may wait for more
// rows: if only one of two columns, or none, has a usual name, the first row may be a record.
func (t *table) choose(all bool) error {
	first := t.held[0]
	t.width = len(first.fields)
	names, named, guessed := first.fields, t.o.Header == "" || t.o.Header == "yes", false
	if !named {
		names = t.withoutHeader()
	}
	var err error
	t.columns, err = chooseColumns(names, t.o)
	usual := textNamed(first.fields) || labelNamed(first.fields)
	switch {
	case t.o.Pairs:
		named, guessed, err = t.pairColumns(err == nil && t.o.Header != "no")
	case len(names) != t.width:
		err = fmt.Errorf("--header %s has %d names for %d columns", t.o.Header, len(names), t.width)
	case isUnnamed(err) && t.width == 1 && (t.o.Unlabelled || t.o.Asked):
		t.columns, named, guessed, err = textAndLabel(0, -1), t.o.Header == "yes", true, nil
	case t.width == 2 && !t.o.Unlabelled && (isUnnamed(err) || err == nil && t.unsure()):
		if !all {
			return nil
		}
		named, guessed, err = t.byValues(usual && t.o.Header == "")
	}
	if isUnnamed(err) && t.o.Header == "" && !usual {
		err = fmt.Errorf("%w. If the first row is data, name the columns in order, such as --header label,title,text", err)
	}
	if err != nil {
		return t.fail(atLine(first.line), "", err)
	}
	t.nameColumns(named, guessed)
	held := t.held
	t.known, t.held = true, nil
	for _, r := range held {
		if err := t.record(r.line, r.fields); err != nil {
			return err
		}
	}
	return nil
}

// unsure reports whether the first row of two columns may be a record although it has a usual name.
func (t *table) unsure() bool {
	first := t.held[0].fields
	return t.o.Header == "" && t.o.Columns == [Roles]string{} && !(textNamed(first) && (labelNamed(first) || usual(first, usualNames[ID]) >= 0))
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
// guessed is true if the first row alone does not decide whether it names the columns.
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
	t.how.Guess = fmt.Sprintf("line %d (%s) is read as %s, give --header %s", first.line, strings.Join(quoted(first.fields), ", "), as, header)
}

// byValues finds the columns of a table of two columns by its first rows, and whether the first row
// names them. It does if it has a usual name (usually is true) and its label does not occur again, or if
// it has two words and its label is the only one that is not a number. Any other first row is data: a
// lost review is worse than a header among the reviews.
func (t *table) byValues(usually bool) (named, guessed bool, err error) {
	first := t.held[0].fields
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
			return false, false, &columnError{Text, "", first}
		}
		t.columns = textAndLabel(1-label, label)
	case label < 0: // texts to predict: the other column may have their names
		if label = 1 - t.columns[Text]; t.labels(values[label]) > 0 {
			t.columns[Label] = label
		}
	}
	its := strings.TrimSpace(first[label])
	known := t.o.IsLabel != nil && t.o.IsLabel(its)
	named = values[label][its] == 1 && !known
	if !usually {
		named = named && identifier.MatchString(first[0]) && identifier.MatchString(first[1]) && len(values[label]) > 1
		for v := range values[label] {
			_, number := dataset.LabelNumber(v)
			named = named && (v == its || number)
		}
	}
	if t.o.Header != "" {
		named = t.o.Header == "yes"
	}
	if usually && !named { // the usual name is data: the other column has the labels
		t.columns = textAndLabel(1-label, label)
	}
	return named, !known, nil
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

func (t *table) record(line int, row []string) error {
	if len(row) != t.width {
		fix := "fill in what is missing; quote a field that holds a line break"
		if len(row) > t.width {
			fix = "quote a field that holds the delimiter"
		}
		return t.bad(atLine(line), Roles, fmt.Sprintf("%d columns instead of %d: %s", len(row), t.width, fix))
	}
	var f fields
	for role, i := range t.columns {
		if i >= 0 {
			f[role] = row[i]
		}
	}
	return t.emitter.record(atLine(line), f)
}
