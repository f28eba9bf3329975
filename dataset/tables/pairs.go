package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"imdbexp/dataset/internal/stream"
)

// Pair is a sentence with its translation.
type Pair struct {
	Source, Target string // valid UTF-8 without NUL or blanks around, may be empty
	Split          string // as written; "" without such a column
	Where          string // file and line, for messages
}

// pairNames are the names of the columns of a file of pairs, by role.
var pairNames = [Roles]string{Text: "source", Label: "target", Split: "split"}

// shortNames are other names of two of them.
var shortNames = map[int]string{Text: "src", Label: "tgt"}

// ReadPairs reads a file of sentence pairs and yields them until yield returns an error or the
// context ends. The file is TSV or CSV with the columns source, target and optionally split, in
// that order or as named in a first line (also src and tgt), or JSON lines with these keys. Other
// text is read as TSV. It uses the options Encoding, Header, Limits and Progress.
func ReadPairs(ctx context.Context, file string, o Options, yield func(Pair) error) (How, error) {
	o = Options{Encoding: o.Encoding, Header: o.Header, Limits: o.Limits.OrDefault(), Progress: o.Progress, Asked: true, pairs: true}
	return Read(ctx, file, o, func(r Record) error {
		if int64(len(r.Label)) > o.Limits.ReviewBytes {
			return fmt.Errorf("%s, column %q: %w", r.Where, pairNames[Label], stream.TooLong(o.Limits.ReviewBytes))
		}
		return yield(Pair{strings.TrimSpace(r.Text), r.Label, r.Split, r.Where})
	})
}

// pairKeys finds the columns of JSON objects of pairs.
func pairKeys(keys []string) (columns, error) {
	c := textAndLabel(-1, -1)
	for role, name := range pairNames {
		if name != "" {
			if c[role] = indexFold(keys, name); c[role] < 0 && shortNames[role] != "" {
				c[role] = indexFold(keys, shortNames[role])
			}
		}
	}
	if c[Text] >= 0 && c[Label] >= 0 {
		return c, nil
	}
	return c, errors.New("has no source and target: give each object these two keys, and optionally split")
}

// pairColumns finds the columns of a table of pairs by its first row.
func (t *table) pairColumns(first []string) error {
	var err error
	if t.columns, err = pairKeys(first); err == nil && t.o.Header != "no" {
		t.nameColumns(true, false)
		return nil
	}
	n := len(first)
	t.columns = textAndLabel(0, 1)
	switch {
	case n == 1:
		return errors.New("a single column: put a tab between a sentence and its translation")
	case n > 3:
		return fmt.Errorf("%d columns: keep the sentence, its translation and optionally train or test, or name them source, target and split in a first line", n)
	case n == 3:
		t.columns[Split] = 2
	}
	t.nameColumns(t.o.Header == "yes", !strings.Contains(first[0]+first[1], " "))
	return nil
}
