package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset/internal/stream"
)

// The roles of columns. In a file of sentence pairs, the text is the source and the label the target.
const (
	Text = iota
	Label
	ID
	Rationale
	Split
	Title // joined to the text, before it
	Roles
)

// columns holds the index of the column with each role, -1 for none.
type columns [Roles]int

// textAndLabel are the columns with these two alone.
func textAndLabel(text, label int) columns { return columns{text, label, -1, -1, -1, -1} }

// fields holds the value of each role in a row.
type fields [Roles]string

// roleNames are the roles as they are called in flags.
var roleNames = [Roles]string{"text", "label", "id", "rationale", "split", "title"}

// usualNames are the usual names of the column with each role, the most likely first, and pairNames those in
// files of pairs.
var (
	usualNames = [Roles][]string{
		Text:      {"text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "comment", "document", "body", "message", "tweet"},
		Label:     {"label", "sentiment", "class", "polarity", "target", "category", "label_text", "stars", "rating", "score"},
		ID:        {"id", "review_id", "reviewid"},
		Rationale: {"rationale", "rationales"},
		Split:     {"split"},
	}
	pairNames = [Roles][]string{Text: {"source", "src"}, Label: {"target", "tgt"}, Split: {"split"}}
)

// usual returns the first column with one of the usual names, or -1.
func usual(names, usual []string) int {
	for _, want := range usual {
		if i := indexFold(names, want); i >= 0 {
			return i
		}
	}
	return -1
}

// textNamed and labelNamed report whether a column has a usual name for texts or labels.
func textNamed(names []string) bool  { return usual(names, usualNames[Text]) >= 0 }
func labelNamed(names []string) bool { return usual(names, usualNames[Label]) >= 0 }

// indexFold is slices.Index without regard to case and blanks around names.
func indexFold(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) })
}

// chooseColumns finds the column of each role by its name.
func chooseColumns(names []string, o Options) (columns, error) {
	c := textAndLabel(-1, -1)
	if o.Pairs {
		for role := range c {
			c[role] = usual(names, pairNames[role])
		}
		if min(c[Text], c[Label]) < 0 {
			return c, errors.New("has no source and target: give each object these two keys, and optionally split")
		}
		return c, nil
	}
	for role := range c {
		given := o.Columns[role]
		switch role {
		case Label:
			if o.Unlabelled {
				continue
			}
		case ID:
			if !o.Asked && given == "" {
				continue
			}
		case Rationale, Split:
			if o.Asked || o.Unlabelled || len(names) == 2 {
				continue
			}
		}
		if given == "" {
			c[role] = usual(names, usualNames[role])
			continue
		}
		if c[role] = slices.Index(names, given); c[role] < 0 {
			c[role] = indexFold(names, given)
		}
		if c[role] < 0 {
			return c, &columnError{role, given, names}
		}
	}
	// If one of two columns is known, so is the other. But to a model, the other may hold the
	// names of the texts.
	if len(names) == 2 && !o.Unlabelled {
		switch {
		case c[Text] < 0 && c[Label] >= 0:
			c[Text] = 1 - c[Label]
		case c[Label] < 0 && c[Text] >= 0 && !o.Asked:
			c[Label] = 1 - c[Text]
		}
	}
	switch {
	case c[Text] < 0:
		return c, &columnError{Text, "", names}
	case c[Label] < 0 && !o.Unlabelled && !o.Asked:
		return c, &columnError{Label, "", names}
	case c[Text] == c[Label]:
		return c, fmt.Errorf("the column %s cannot be both text and label", stream.Quote(names[c[Text]]))
	}
	for _, i := range c[:ID] {
		if i >= 0 && slices.Contains(names[i+1:], names[i]) {
			return c, fmt.Errorf("two columns are called %s: rename one of them", stream.Quote(names[i]))
		}
	}
	return c, nil
}

// columnError is the error of a column that was not found.
type columnError struct {
	role    int
	given   string // the name in Options, "" for none
	columns []string
}

// NoColumn reports whether err says that a column named in Options does not exist.
func NoColumn(err error) bool {
	e, ok := errors.AsType[*columnError](err)
	return ok && e.given != ""
}

// isUnnamed reports whether err says that no column has a usual name.
func isUnnamed(err error) bool {
	e, ok := errors.AsType[*columnError](err)
	return ok && e.given == ""
}

func (e *columnError) Error() string {
	names := quoted(e.columns)
	has := "its columns are " + shorten(names)
	if len(e.columns) == 1 {
		has = "its only column is " + names[0]
		if e.role == Text {
			has += " (a file of texts alone, one a line, needs the extension .txt)"
		}
	}
	if e.given != "" {
		return fmt.Sprintf("there is no column %s; %s", stream.Quote(e.given), has)
	}
	return fmt.Sprintf("cannot find the %s column: give --%[1]s-column NAME; %s", roleNames[e.role], has)
}

func quoted(names []string) (out []string) {
	for _, n := range names {
		out = append(out, stream.Quote(n))
	}
	return out
}

// shorten joins up to 20 names.
func shorten(names []string) string {
	if len(names) > 20 {
		names = append(names[:20:20], "…")
	}
	return strings.Join(names, ", ")
}

// pairColumns finds the columns of a table of pairs, whose first row may name them.
func (t *table) pairColumns(names bool) (named, guessed bool, err error) {
	if names {
		return true, false, nil
	}
	first := t.held[0].fields
	t.columns = textAndLabel(0, 1)
	switch n := len(first); {
	case n == 1:
		return false, false, errors.New("a single column: put a tab between a sentence and its translation")
	case n > 3:
		return false, false, fmt.Errorf("%d columns: keep the sentence, its translation and optionally train or test, or name them source, target and split in a first line", n)
	case n == 3:
		t.columns[Split] = 2
	}
	return t.o.Header == "yes", !strings.Contains(first[0]+first[1], " "), nil
}
