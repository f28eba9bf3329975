package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The usual names of columns, the likeliest first.
var (
	textNames      = []string{"text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "comment", "document", "body", "message", "tweet"}
	idNames        = []string{"id", "review_id", "reviewid"}
	rationaleNames = []string{"rationale", "rationales"}
	labelNames     = []string{"label", "sentiment", "class", "polarity", "target", "category", "label_text", "stars", "rating", "score"}
)

// choose finds the columns of text and label; label is −1 where none is wanted.
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
	if len(names) == 2 && !o.Unlabelled { // one of two tells the other
		if o.Asked && label < 0 && text >= 0 {
			return text, -1, nil // the other may name the texts
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
			return -1, -1, fmt.Errorf("two columns are called %s: give each a name of its own", quote(names[chosen]))
		}
	}
	return text, label, nil
}

// chooseID finds the column of what names the texts; −1 where there is none.
func chooseID(names []string, o Options) (int, error) {
	if !o.Asked && o.IDColumn == "" {
		return -1, nil
	}
	return pick(names, "id", o.IDColumn, idNames)
}

// chooseRationale finds the column of what marks the reasons for a label; −1 where there
// is none.
func chooseRationale(names []string, o Options) (int, error) {
	if o.Asked || o.Unlabelled || len(names) == 2 {
		return -1, nil
	}
	return pick(names, "rationale", o.Rationales, rationaleNames)
}

// chooseSplit finds the column of what says which part a text is of; −1 where there is none.
func chooseSplit(names []string, o Options) int {
	if o.Asked || o.Unlabelled || len(names) == 2 {
		return -1
	}
	return usual(names, []string{"split"})
}

// pick returns the column of a name, or the first with a usual name, or −1.
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

// columnError says that a column was not found.
type columnError struct {
	role    string // text, label or id
	wanted  string // the name that was given; "" if none was
	columns []string
}

// NoColumn reports whether an error says that a column is not there which Options name.
func NoColumn(err error) bool {
	e, ok := errors.AsType[*columnError](err)
	return ok && e.wanted != ""
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
			has += " (of texts alone, one a line, the name must end in .txt)"
		}
	}
	if e.wanted != "" {
		return fmt.Sprintf("there is no column %s; %s", quote(e.wanted), has)
	}
	return fmt.Sprintf("which column is the %s? Give --%s-column NAME; %s", e.role, e.role, has)
}
