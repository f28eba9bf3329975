package tables

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
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

// ReadPairs reads a file of sentence pairs and yields them until yield returns an error or the
// context ends. The file is TSV or CSV with the columns source, target and optionally split, in
// that order or as named in a first line (also src and tgt, or two languages such as en and fr),
// or JSON lines with these keys. Other text is read as TSV. It uses the options Encoding,
// Header, Limits and Progress.
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
			c[role] = indexFold(keys, name)
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
	split, n := t.columns[Split], len(first)
	t.columns = textAndLabel(0, 1)
	switch {
	case n == 1:
		return errors.New("a single column: put a tab between a sentence and its translation")
	case n > 3:
		return fmt.Errorf("%d columns: keep the sentence, its translation and optionally train or test, or name them source, target and split in a first line", n)
	case n == 3:
		t.columns[Split] = 2
	}
	source, target, named := namedSides(first[0], first[1])
	named = cmp.Or(t.o.Header, map[bool]string{true: "yes", false: "no"}[named && (n == 2 || split == 2)]) == "yes"
	if named {
		t.columns[Text], t.columns[Label] = source, target
	}
	t.nameColumns(named, named)
	return nil
}

// sideNames are other usual names of source and target.
var sideNames = [][2]string{
	{"src", "tgt"}, {"src", "trg"}, {"input", "output"}, {"original", "translation"}, {"text", "translation"}, {"sentence", "translation"}, {"lang1", "lang2"},
}

// languages are the names of columns that hold sentences of a language, one language per line:
// its codes and its names in English, French and itself. Codes that are English words are
// omitted (la, no, so, my) or listed as everyday: a list of words may begin with them.
//
//go:embed languages.txt
var languages string

// everyday are codes that are also English words. Next to a name of English they are
// languages; otherwise the row may be a pair.
var everyday = strings.Fields("he hi it fin")

// language returns the line of a name in languages, also with a region (en-US, pt_BR), or -1.
func language(name string) int {
	if i := strings.IndexAny(name, "-_"); i == 2 || i == 3 {
		name = name[:i]
	}
	line := 0
	for of := range strings.Lines(languages) {
		if slices.ContainsFunc(strings.Fields(of), func(n string) bool { return strings.EqualFold(n, name) }) {
			return line
		}
		line++
	}
	return -1
}

// namedSides finds source and target in a first row of other names: a pair of sideNames, or two
// languages. ok is false if the row may be a pair itself, such as english and anglais.
func namedSides(a, b string) (source, target int, ok bool) {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	for _, n := range sideNames {
		for source = range 2 {
			if target = 1 - source; strings.EqualFold(a, n[source]) && strings.EqualFold(b, n[target]) {
				return source, target, true
			}
		}
	}
	x, y, english := language(a), language(b), language("en")
	for _, side := range []string{a, b} {
		if slices.Contains(everyday, strings.ToLower(side)) && x != english && y != english {
			return 0, 1, false
		}
	}
	return 0, 1, x >= 0 && y >= 0 && x != y
}
