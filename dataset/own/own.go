// Package own makes data sets of a user's own files: labelled texts or sentence pairs.
// Whatever they come in, they are written in one form, with a part held out for testing
// where none is given.
package own

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/fsx"
)

// Data says what a data set is made of. Files that hold labels may be
// whatever package tables reads; a folder may also have the folders train and
// test above those of the classes.
type Data struct {
	Name         string         // what settings call it
	Files        []string       // to train on, and to test on where nothing else says what
	Classes      []ClassFile    // likewise
	Test         []string       // to test on
	TestFraction float64        // of each class, held out where there is no test part; 0 is DefaultTestFraction
	Unlabelled   []string       // for word vectors alone
	Columns      tables.Options // names of columns and the encoding of all files
	Force        bool           // replace what has the name
}

// ClassFile is a file with one text a line, all of one class.
type ClassFile struct{ Class, File string }

// DefaultTestFraction is held out for testing unless Data says otherwise.
const DefaultTestFraction = 0.2

// A data set has 2 to 20 classes.
const (
	minClasses = 2
	maxClasses = 20
)

// Reviews says what became of labelled texts.
type Reviews struct {
	Classes []string
	Counts  [2][]int   // [C] reviews of each class in train and test
	Read    []FileRead // what each file was taken for
	HeldOut float64    // the fraction held out for testing; 0 where the test part was given
	Empty   int        // reviews of blanks alone
	// Reviews, not empty, whose text was there before; those of them with another
	// label; and, where the test part was given, those of it that are in train.
	Repeated, Contradicting, Shared int
	Marked                          int // reviews with a rationale

	Validation []string // folders that others validate on, added to train
	PassedOver []string // what stands beside the folders train and test and is read as nothing
}

// WriteReviews reads labelled texts and writes them to a file that Open reads, a
// scratch file beside it on the way.
func (in *Data) WriteReviews(ctx context.Context, inputs Inputs, to string, limits dataset.Limits, progress dataset.Progress) (none Reviews, err error) {
	g := &gatherer{columns: in.Columns, limits: limits.OrDefault(), progress: progress}
	g.parted = in.TestFraction == 0 && !slices.ContainsFunc(inputs, func(i input) bool { return i.part == dataset.Test })
	spool := filepath.Join(filepath.Dir(to), in.Name+".spool")
	if err := g.gather(ctx, inputs, spool); err != nil {
		return none, err
	}
	out := Reviews{Read: g.read, Marked: g.marked}
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
	for _, f := range in.Files {
		parts, passed, err := folderParts(f)
		if err != nil {
			return none, err
		}
		out.PassedOver = append(out.PassedOver, passed...)
		for _, p := range parts {
			if p.part == dataset.Train && filepath.Base(p.file) != dataset.Train.String() {
				out.Validation = append(out.Validation, p.file)
			}
		}
	}
	if err := g.store(ctx, spool, to, in.Name); err != nil {
		return none, err
	}
	return out, fsx.RemoveFile(spool)
}

// FileRead says how a file was read.
type FileRead struct {
	File  string
	Part  dataset.Part
	How   tables.How
	Texts int

	Passed string // the column of parts that nothing has gone by; "" if there is none
}

// input is a file and what it is for.
type input struct {
	file  string
	part  dataset.Part
	class string // of all its lines, "" where it holds labels

	eraser string // the folder of its documents, where it is a file of the ERASER benchmark
}

// Inputs are files and what each is for, those to train on first.
type Inputs []input

// FractionFits reports whether so much of each class can be held out.
func FractionFits(f float64) bool { return f >= 0.01 && f <= 0.9 }

// Inputs checks what can be checked before anything is read.
func (in *Data) Inputs() (Inputs, error) {
	if f := in.TestFraction; f != 0 && !FractionFits(f) {
		return nil, fmt.Errorf("a test fraction of %v: choose 0.01 to 0.9", f)
	}
	var train, test, extra []input
	parted := ""
	for _, f := range in.Files {
		if parts := eraserParts(f); parts != nil {
			parted = f
			for _, p := range parts {
				if p.part == dataset.Test {
					test = append(test, p)
				} else {
					train = append(train, p)
				}
			}
			continue
		}
		parts, _, err := folderParts(f)
		if err != nil {
			return nil, err
		}
		if parts == nil {
			train = append(train, input{file: f})
			continue
		}
		parted = f
		for _, p := range parts {
			switch p.part {
			case dataset.Train:
				train = append(train, p)
			case dataset.Test:
				test = append(test, p)
			default:
				extra = append(extra, p)
			}
		}
	}
	for _, c := range in.Classes {
		if c.Class == "" || c.File == "" {
			return nil, fmt.Errorf("the class %q of the file %q: both are needed, as in --class pos=FILE", c.Class, c.File)
		}
		train = append(train, input{file: c.File, class: c.Class})
	}
	for _, f := range in.Test {
		if parted != "" {
			return nil, fmt.Errorf("%s has a folder test: leave out --test", parted)
		}
		test = append(test, input{file: f, part: dataset.Test})
	}
	for _, f := range in.Unlabelled {
		extra = append(extra, input{file: f, part: dataset.Extra})
	}
	switch {
	case len(train) == 0:
		return nil, fmt.Errorf("no file to train on: name one, or give --class LABEL=FILE for each class")
	case len(test) > 0 && in.TestFraction != 0 && parted != "":
		return nil, fmt.Errorf("%s has a folder test: leave out --test-fraction", parted)
	case len(test) > 0 && in.TestFraction != 0:
		return nil, fmt.Errorf("--test and --test-fraction: choose one")
	}
	all := slices.Concat(train, test, extra)
	for i, x := range all {
		info, err := os.Stat(x.file)
		if err != nil {
			return nil, err
		}
		for _, y := range all[:i] {
			if other, err := os.Stat(y.file); err == nil && os.SameFile(info, other) {
				return nil, fmt.Errorf("%s is named twice", x.file)
			}
		}
	}
	return all, nil
}
