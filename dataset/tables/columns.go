package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The usual names of columns, the most likely first.
var (
	textNames      = []string{"text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "comment", "document", "body", "message", "tweet"}
	idNames        = []string{"id", "review_id", "reviewid"}
	rationaleNames = []string{"rationale", "rationales"}
	labelNames     = []string{"label", "sentiment", "class", "polarity", "target", "category", "label_text", "stars", "rating", "score"}
	splitNames     = []string{"split"}
)

// The roles of columns.
const (
	textColumn = iota
	labelColumn
	idColumn
	rationaleColumn
	splitColumn
	columnRoles
)

// columns holds the index of the column with each role, -1 for none.
type columns [columnRoles]int

// chooseColumns finds the column of each role by its name.
func chooseColumns(names []string, o Options) (c columns, err error) {
	c = columns{-1, -1, -1, -1, -1}
	if c[textColumn], c[labelColumn], err = choose(names, o); err != nil {
		return c, err
	}
	if o.Asked || o.IDColumn != "" {
		if c[idColumn], err = pick(names, "id", o.IDColumn, idNames); err != nil {
			return c, err
		}
	}
	if o.Asked || o.Unlabelled || len(names) == 2 {
		return c, nil
	}
	c[splitColumn] = usual(names, splitNames)
	c[rationaleColumn], err = pick(names, "rationale", o.Rationales, rationaleNames)
	return c, err
}

// record returns the record of a row, with its values by column.
func (c columns) record(value func(i int) string) Record {
	var fields [columnRoles]string
	for role, i := range c {
		if i >= 0 {
			fields[role] = value(i)
		}
	}
	return Record{Text: fields[textColumn], Label: fields[labelColumn], ID: fields[idColumn],
		Split: fields[splitColumn], rationale: fields[rationaleColumn]}
}

// set sets the names of the columns.
func (h *How) set(c columns, name func(i int) string) {
	for role, to := range [columnRoles]*string{&h.Text, &h.Label, &h.ID, &h.Rationale, &h.Split} {
		if c[role] >= 0 {
			*to = name(c[role])
		}
	}
}

// choose finds the columns of text and label; label is -1 if there is none.
func choose(names []string, o Options) (text, label int, err error) {
	label = -1
	text, err = pick(names, "text", o.TextColumn, textNames)
	if err != nil {
		return -1, -1, err
	}
	if !o.Unlabelled {
		if label, err = pick(names, "label", o.LabelColumn, labelNames); err != nil {
			return -1, -1, err
		}
	}
	if len(names) == 2 && !o.Unlabelled { // if one is known, so is the other
		if o.Asked && label < 0 && text >= 0 {
			return text, -1, nil // the other may hold names of the texts
		}
		if text < 0 && label >= 0 {
			text = 1 - label
		}
		if label < 0 && text >= 0 {
			label = 1 - text
		}
	}
	if len(names) == 1 && o.Unlabelled {
		text = 0
	}
	switch {
	case text < 0:
		return -1, -1, &columnError{"text", "", names}
	case label < 0 && !o.Unlabelled && !o.Asked:
		return -1, -1, &columnError{"label", "", names}
	case text == label:
		return -1, -1, fmt.Errorf("the column %s cannot be both text and label", quote(names[text]))
	}
	for _, chosen := range []int{text, label} {
		if chosen >= 0 && slices.Contains(names[chosen+1:], names[chosen]) {
			return -1, -1, fmt.Errorf("two columns are called %s: rename one of them", quote(names[chosen]))
		}
	}
	return text, label, nil
}

// pick returns the column called name; without a name, the first with a usual name; or -1.
func pick(names []string, role, name string, usualNames []string) (int, error) {
	if name == "" {
		return usual(names, usualNames), nil
	}
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) }); i >= 0 {
		return i, nil
	}
	return -1, &columnError{role, name, names}
}

func usual(names, usualNames []string) int {
	for _, want := range usualNames {
		if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), want) }); i >= 0 {
			return i
		}
	}
	return -1
}

// columnError is the error of a column that was not found.
type columnError struct {
	role    string // text, label or id
	wanted  string // the given name, "" for none
	columns []string
}

// NoColumn reports whether err says that a column named in Options does not exist.
func NoColumn(err error) bool {
	e, ok := errors.AsType[*columnError](err)
	return ok && e.wanted != ""
}

// isUnnamed reports whether err says that no column has a usual name.
func isUnnamed(err error) bool {
	e, ok := errors.AsType[*columnError](err)
	return ok && e.wanted == ""
}

func (e *columnError) Error() string {
	quoted := make([]string, 0, 20)
	for i, c := range e.columns {
		if i == 20 {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, quote(c))
	}
	has := "its columns are " + strings.Join(quoted, ", ")
	if len(e.columns) == 1 {
		has = "its only column is " + quoted[0]
		if e.role == "text" {
			has += " (a file of texts alone, one a line, needs the extension .txt)"
		}
	}
	if e.wanted != "" {
		return fmt.Sprintf("there is no column %s; %s", quote(e.wanted), has)
	}
	return fmt.Sprintf("which column is the %s? Give --%s-column NAME; %s", e.role, e.role, has)
}
