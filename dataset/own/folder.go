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

// folderParts returns the inputs of a folder that has the folders train and test, these two
// first. notes say what became of the other folders and text files next to them.
// Folders may have any name that a column of parts may hold. There are no parts if train
// or test is missing.
func folderParts(file string) (parts []input, notes []string, err error) {
	train, test, ok := tables.Parts(file)
	if !ok {
		return nil, nil, nil
	}
	entries, err := os.ReadDir(file)
	if err != nil {
		return nil, nil, err
	}
	parts = []input{{file: train}, {file: test, part: dataset.Test}}
	for _, e := range entries {
		path := filepath.Join(file, e.Name())
		info, err := os.Stat(path)
		if err != nil || strings.HasPrefix(e.Name(), ".") || slices.ContainsFunc(parts, func(p input) bool { return same(info, p.file) }) {
			continue
		}
		part, known := splits[strings.ToLower(e.Name())]
		switch {
		case info.IsDir() && known:
			parts = append(parts, input{file: path, part: part})
			if part == dataset.Train {
				notes = append(notes, path+addedToTrain)
			}
		case info.IsDir() || tables.Named(e.Name()):
			notes = append(notes, path+notRead)
		}
	}
	return parts, notes, nil
}

const (
	addedToTrain = ": added to train, from which data.valid takes its own part"
	notRead      = ": not read"
)

// partFiles returns the inputs of a folder or an archive with a file for each part: train.csv and
// test.csv, or train-00000-of-00004.parquet and so on, as on the Hugging Face hub. The first word of a name
// is a part in splits. If the test file has no labels, the validation file is the test part; otherwise it joins
// train. There are no inputs without a file to train on and one to test on.
func (in *Data) partFiles(ctx context.Context, file string) (parts []input, notes []string, err error) {
	names, archive, err := partNames(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]input{}
	for _, name := range names {
		word := path.Base(name)
		word = word[:max(0, strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }))]
		part, known := splits[strings.ToLower(word)]
		x := input{file: filepath.Join(file, name), part: part}
		if archive {
			x.file, x.member = file, name
		}
		switch first := files["train"]; {
		case known && part == dataset.Train && !strings.HasPrefix(strings.ToLower(word), "train"):
			files["validation"] = append(files["validation"], x)
		case known && (len(first) == 0 || path.Dir(first[0].member) == path.Dir(x.member)):
			files[part.String()] = append(files[part.String()], x)
		default:
			notes = append(notes, x.String()+notRead)
		}
	}
	test, valid := files[dataset.Test.String()], files["validation"]
	if len(files["train"]) == 0 || len(test)+len(valid) == 0 {
		return nil, nil, nil
	}
	if len(valid) > 0 && (len(test) == 0 || in.hidden(ctx, test[0])) {
		for _, x := range test {
			notes = append(notes, fmt.Sprintf("%s: not read, because it has no labels; the test part is %s", x, valid[0]))
		}
		for i := range valid {
			valid[i].part = dataset.Test
		}
		test = nil
	}
	for _, x := range valid {
		if x.part == dataset.Train {
			notes = append(notes, x.String()+addedToTrain)
		}
	}
	return slices.Concat(files["train"], valid, test, files[dataset.Extra.String()]), notes, nil
}

// partNames returns the names of the files with tables in a folder or an archive, sorted.
func partNames(ctx context.Context, file string) (names []string, archive bool, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, false, err
	}
	if info.Mode().IsRegular() {
		names, err = stream.Members(ctx, file, tables.DefaultLimits.TotalBytes)
		archive = true
	} else if info.IsDir() {
		var entries []os.DirEntry
		entries, err = os.ReadDir(file)
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(n string) bool { return !tables.Named(n) || strings.HasPrefix(path.Base(n), ".") }), archive, err
}

// hidden reports whether a file has no labels, by its first record.
func (in *Data) hidden(ctx context.Context, x input) bool {
	o := in.Columns
	o.Asked = true
	hidden := false
	errFirst := errors.New("only the first")
	_, err := x.read(ctx, o, func(r tables.Record) error {
		hidden = r.Label == ""
		return errFirst
	})
	return hidden || tables.NoColumn(err)
}

// same reports whether a file is the one that info is of: where small and capital letters
// are the same, Train is train.
func same(info os.FileInfo, file string) bool {
	other, err := os.Stat(file)
	return err == nil && os.SameFile(info, other)
}
