// Package own makes data sets of a user's own files: labelled texts or sentence pairs.
// Files of any format are written in one format, with a part held out for testing if none
// is given.
package own

import (
	"cmp"
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

// Data names the files of a data set. Files with labels have any format that
// package tables reads. A folder may have the folders train and test, and in each of them
// one folder a class.
type Data struct {
	Name         string            // the name in settings
	Files        []string          // training data; if there is no test part, a fraction is held out
	Classes      []ClassFile       // like Files
	Test         []string          // test data
	TestFraction float64           // held out of each class if there is no test part; 0 is DefaultTestFraction
	Unlabelled   []string          // only for training word vectors
	Columns      tables.Options    // names of columns of all files
	Rename       map[string]string // names of classes by label as written
	Force        bool              // replace an existing data set with this name
}

// ClassFile is a file with one text per line, all of one class.
type ClassFile struct{ Class, File string }

// DefaultTestFraction is held out for testing unless Data says otherwise.
const DefaultTestFraction = 0.2

// A data set has 2 to 20 classes.
const (
	minClasses = 2
	maxClasses = 20
)

// Reviews describes the labelled texts that were added.
type Reviews struct {
	Classes []string
	Counts  [2][]int   // [C] reviews of each class in train and test
	Read    []FileRead // how each file was read
	HeldOut float64    // the fraction held out for testing; 0 if the test part was given
	Empty   int        // reviews of white space alone
	// Reviews that are not empty and repeat an earlier text; those of them with another
	// label; and, if the test part was given, reviews in test that are also in train.
	Repeated, Contradicting, Shared int
	Marked                          int // reviews with a rationale

	Merged  []string // labels that are equal numbers, such as "1.0" as "1"
	Foreign bool     // the texts are not English

	Notes []string // on the files of a folder or an archive
}

// WriteReviews reads labelled texts, twice, and writes them to a file that Open reads.
func (in *Data) WriteReviews(ctx context.Context, to string, limits dataset.Limits, progress dataset.Progress) (none Reviews, err error) {
	inputs, notes, err := in.inputs(ctx)
	if err != nil {
		return none, err
	}
	g := &gatherer{columns: in.Columns, rename: in.Rename, limits: limits.OrDefault(), progress: progress, parted: in.parted(inputs)}
	if err := g.gather(ctx, inputs, g.add); err != nil {
		return none, err
	}
	out := Reviews{Read: g.read, Marked: g.marked, Merged: g.merged, Foreign: g.spoken.Other(), Notes: notes}
	if !g.has(dataset.Test) {
		out.HeldOut = cmp.Or(in.TestFraction, DefaultTestFraction)
		err = g.holdOut(out.HeldOut)
	}
	if err == nil {
		err = g.checkClasses()
	}
	if err != nil {
		return none, g.misread(err)
	}
	g.count(&out)
	return out, g.store(ctx, inputs, to, in.Name)
}

// FileRead says how a file was read.
type FileRead struct {
	File  string
	Part  dataset.Part
	How   tables.How
	Texts int

	Passed string // a column that names parts and is not used; "" if there is none
}

// input is a file and its purpose.
type input struct {
	file   string
	member string // of an archive; "" if it is none
	part   dataset.Part
	class  string // of all its lines, "" if it has labels
	eraser string // the folder of documents, if this is a file of the ERASER benchmark
}

// String names the input in messages.
func (in input) String() string {
	if in.member != "" {
		return in.file + "#" + in.member
	}
	return in.file
}

// parted reports whether a column that names the parts is used: there is no other test part.
func (in *Data) parted(inputs []input) bool {
	return in.TestFraction == 0 && !slices.ContainsFunc(inputs, func(i input) bool { return i.part == dataset.Test })
}

// inputs lists the files, those to train on first, then those to test on, then the
// unlabelled ones. notes say what became of files in folders and archives.
func (in *Data) inputs(ctx context.Context) (all []input, notes []string, err error) {
	parted := "" // a folder that has its own test part
	for _, f := range in.Files {
		parts, said, err := in.partInputs(ctx, f)
		if err != nil {
			return nil, nil, err
		}
		if parts == nil {
			parts = []input{{file: f}}
		} else {
			parted = f
		}
		all, notes = append(all, parts...), append(notes, said...)
	}
	for _, c := range in.Classes {
		all = append(all, input{file: c.File, class: c.Class})
	}
	for _, f := range in.Test {
		all = append(all, input{file: f, part: dataset.Test})
	}
	for _, f := range in.Unlabelled {
		all = append(all, input{file: f, part: dataset.Extra})
	}
	slices.SortStableFunc(all, func(a, b input) int { return cmp.Compare(a.part, b.part) })
	switch {
	case parted != "" && (len(in.Test) > 0 || in.TestFraction != 0):
		return nil, nil, fmt.Errorf("%s has its own test part: leave out --test and --test-fraction", parted)
	case len(all) == 0 || all[0].part != dataset.Train:
		return nil, nil, errors.New("no file to train on: name one, or give --class LABEL=FILE for each class")
	case len(in.Test) > 0 && in.TestFraction != 0:
		return nil, nil, errors.New("--test and --test-fraction: choose one")
	}
	for _, x := range all {
		if _, err := os.Stat(x.file); err != nil {
			return nil, nil, err
		}
	}
	return all, notes, nil
}

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
	eraser := "" // the folder of documents, next to lines of JSON
	if i := slices.Index(names, "docs"); i >= 0 && slices.Contains(names, "train.jsonl") {
		names, eraser = slices.Delete(names, i, i+1), filepath.Join(file, "docs")
	}
	for _, name := range names {
		x := input{file: filepath.Join(file, name), eraser: eraser}
		if archive {
			x.file, x.member = file, name
		}
		word := strings.ToLower(path.Base(name))
		word = word[:len(word)-len(strings.TrimLeftFunc(word, unicode.IsLetter))]
		part, known := splits[word]
		to := &valid
		switch x.part = part; {
		case !known || len(train) > 0 && path.Dir(train[0].member) != path.Dir(x.member):
			notes = append(notes, x.String()+": not read")
			continue
		case part == dataset.Extra:
			to = &extra
		case part == dataset.Test:
			to = &test
		case strings.HasPrefix(word, "train"):
			to = &train
		}
		*to = append(*to, x)
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
