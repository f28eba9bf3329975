package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/tables"
)

// partInputs returns the inputs of a folder or an archive with a file for each part (train.csv and
// test.csv, or train-00000-of-00004.parquet and so on, as on the Hugging Face hub), or of a folder with a
// folder for each. The first word of a name is a part in splits. If the test file has no labels, or there is
// none, the validation file is the test part; otherwise it joins train, because data.valid is sampled from train.
// notes say what became of other files. There are no inputs without a file to train on and one to test on.
func (in *Data) partInputs(ctx context.Context, file string) (parts []input, notes []string, err error) {
	names, archive, err := partNames(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	var train, valid, test, extra []input
	for _, name := range names {
		x := input{file: filepath.Join(file, name)}
		if archive {
			x.file, x.member = file, name
		}
		word := strings.ToLower(path.Base(name))
		if i := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
			word = word[:i]
		}
		var known bool
		x.part, known = splits[word]
		switch {
		case !known || len(train) > 0 && path.Dir(train[0].member) != path.Dir(x.member):
			notes = append(notes, x.String()+": not read")
		case x.part == dataset.Extra:
			extra = append(extra, x)
		case x.part == dataset.Test:
			test = append(test, x)
		case strings.HasPrefix(word, "train"):
			train = append(train, x)
		default:
			valid = append(valid, x)
		}
	}
	if len(train) == 0 || len(test)+len(valid) == 0 {
		return nil, nil, nil
	}
	replaced := len(valid) > 0 && (len(test) == 0 || in.hidden(ctx, test[0]))
	if replaced {
		for _, x := range test {
			notes = append(notes, fmt.Sprintf("%s: not read, because it has no labels; the test part is %s", x, valid[0]))
		}
		test = nil
	}
	for i := range valid {
		if replaced {
			valid[i].part = dataset.Test
		} else {
			notes = append(notes, valid[i].String()+": added to train, from which data.valid takes its own part")
		}
	}
	return slices.Concat(train, valid, test, extra), notes, nil
}

// partNames returns the names of the tables and folders in a folder, or of the tables in an archive, sorted.
func partNames(ctx context.Context, file string) (names []string, archive bool, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, false, err
	}
	if info.Mode().IsRegular() {
		names, err = stream.Members(ctx, file, dataset.DefaultLimits.TotalBytes)
		slices.Sort(names)
		return slices.DeleteFunc(names, func(n string) bool { return !isTable(path.Base(n)) }), true, err
	}
	if !info.IsDir() {
		return nil, false, nil
	}
	entries, err := os.ReadDir(file)
	for _, e := range entries {
		at, err := os.Stat(filepath.Join(file, e.Name())) // of a link, what it names
		if err == nil && (isTable(e.Name()) || at.IsDir() && !strings.HasPrefix(e.Name(), ".")) {
			names = append(names, e.Name())
		}
	}
	return names, false, err
}

func isTable(name string) bool { return tables.Named(name) && !strings.HasPrefix(name, ".") }

// hidden reports whether a file has no labels, by its first record.
func (in *Data) hidden(ctx context.Context, x input) bool {
	o := in.Columns
	o.Asked = true
	hidden := false
	first := errors.New("enough")
	_, err := x.read(ctx, o, func(r tables.Record) error {
		hidden = r.Label == ""
		return first
	})
	return hidden || tables.NoColumn(err)
}
