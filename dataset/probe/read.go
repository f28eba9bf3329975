package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

// Files names the files of a probe. A file has both texts of each pair if a column pairs its rows
// (batch_id, pair_id or pair; the original comes first), or if it has a column for each
// (original and rewritten, with the labels in label or original_label, and rewritten_label). Any
// other file has the originals, and the file named after it their rewritings, row by row.
type Files struct {
	Name  string
	Files []string
	Read  tables.Options // encoding, header and the like
	Force bool           // replace a probe with this name
}

// FileRead is a file and how it was read.
type FileRead struct {
	File string
	How  tables.How
}

// usualPairs are the usual names of the column that pairs the rows of a file.
var usualPairs = []string{"batch_id", "pair_id", "pair"}

// Gather reads the pairs of all files.
func (f *Files) Gather(ctx context.Context, progress dataset.Progress) (p *Probe, sources []FileRead, err error) {
	p = &Probe{Name: f.Name}
	o := f.Read
	o.Progress = progress
	o.Limits = dataset.Limits{ReviewBytes: maxText, TotalBytes: maxBytes, Reviews: 2 * maxPairs}
	fileOf := map[string]string{} // by set
	for i := 0; i < len(f.Files); i++ {
		file := f.Files[i]
		if info, err := os.Stat(file); err != nil {
			return nil, nil, err
		} else if info.IsDir() {
			return nil, nil, fmt.Errorf("%s: is a folder; name the files of the probe", file)
		}
		pairs, how, err := readPaired(ctx, file, o)
		if err == nil && pairs == nil {
			pairs, how, err = readColumns(ctx, file, o)
		}
		if err == nil && pairs == nil {
			if i++; i == len(f.Files) {
				return nil, nil, fmt.Errorf("%s: has one text in a row and no column batch_id, pair_id or pair: name the file of the rewritings after it", file)
			}
			var both [2]tables.How
			pairs, both, err = readSides(ctx, [2]string{file, f.Files[i]}, [2]tables.Options{o, o})
			how, sources = both[0], append(sources, FileRead{f.Files[i], both[1]})
		}
		sources = append(sources, FileRead{file, how})
		if err != nil {
			return nil, nil, err
		}
		set := setName(file)
		if other := fileOf[set]; other != "" {
			return nil, nil, fmt.Errorf("%s and %s would both be the set %s, which is called after its file: rename one", other, file, set)
		}
		fileOf[set] = file
		for n, x := range pairs {
			if x.Original.Label == "" || x.Rewritten.Label == "" {
				return nil, nil, fmt.Errorf("%s: pair %d has a text without a label", file, n+1)
			}
			x.Set, x.ID = set, fmt.Sprintf("%s/%05d", set, n+1)
			p.Pairs = append(p.Pairs, x)
		}
	}
	if len(p.Pairs) == 0 {
		return nil, nil, errors.New("no pairs: name a file of texts and their rewritings")
	}
	return p, sources, nil
}

// setName is the name of a file without what says how it is packed, or which side of pairs it has.
func setName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	for _, end := range []string{"_paired", "_original", "_originals"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// text converts a record.
func text(r tables.Record) Text { return Text{r.Label, r.Text} }

// readPaired reads a file in which a column joins two rows to a pair; nil without such a column.
func readPaired(ctx context.Context, file string, o tables.Options) (pairs []Pair, how tables.How, err error) {
	for _, column := range usualPairs {
		o.Columns[tables.ID] = column
		at, whole := map[string]int{}, map[string]bool{}
		pairs, how, err = nil, tables.How{}, nil
		how, err = tables.Read(ctx, file, o, func(r tables.Record) error {
			i, second := at[r.ID]
			switch {
			case r.ID == "":
				return fmt.Errorf("%s: %s is empty", r.Where, column)
			case whole[r.ID]:
				return fmt.Errorf("%s: a third text of %s %s, and a pair has two", r.Where, column, r.ID)
			case second:
				pairs[i].Rewritten, whole[r.ID] = text(r), true
			default:
				at[r.ID] = len(pairs)
				pairs = append(pairs, Pair{Original: text(r)})
			}
			return nil
		})
		if tables.NoColumn(err) {
			continue
		}
		for id, i := range at {
			if err == nil && !whole[id] {
				err = fmt.Errorf("%s: %s %s has one text, and a pair has two: %q", file, column, id, head(pairs[i].Original.Text))
			}
		}
		return pairs, how, err
	}
	return nil, how, nil
}

// head is the beginning of a text, for messages.
func head(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}

// readColumns reads a file with both texts of a pair in one row; nil if it has no such columns.
func readColumns(ctx context.Context, file string, o tables.Options) (pairs []Pair, how tables.How, err error) {
	for _, label := range []string{"original_label", "label"} {
		first, second := o, o
		first.Columns[tables.Text], first.Columns[tables.Label] = "original", label
		second.Columns[tables.Text], second.Columns[tables.Label] = "rewritten", "rewritten_label"
		pairs, both, err := readSides(ctx, [2]string{file, file}, [2]tables.Options{first, second})
		if pairs != nil || !tables.NoColumn(err) {
			return pairs, both[0], err
		}
	}
	return nil, how, nil
}

// readSides reads originals and rewritings, which pair row by row.
func readSides(ctx context.Context, files [2]string, o [2]tables.Options) (pairs []Pair, how [2]tables.How, err error) {
	for side, file := range files {
		n := 0
		how[side], err = tables.Read(ctx, file, o[side], func(r tables.Record) error {
			if side == 0 {
				pairs = append(pairs, Pair{Original: text(r)})
			} else if n < len(pairs) {
				pairs[n].Rewritten = text(r)
			}
			n++
			return nil
		})
		if err == nil && n != len(pairs) {
			err = fmt.Errorf("%s has %d texts and %s %d: they pair row by row, so both need the same number", files[0], len(pairs), file, n)
		}
		if err != nil {
			break
		}
	}
	return pairs, how, err
}
