package dataset

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/dataset/tables"
	"imdbexp/internal/fsx"
)

// OwnData says what AddOwn makes a data set of. Files that hold labels may be
// whatever package tables reads; a folder may also have the folders train and
// test above those of the classes.
type OwnData struct {
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

// DefaultTestFraction is held out for testing unless OwnData says otherwise.
const DefaultTestFraction = 0.2

// A data set has 2 to 20 classes.
const (
	minClasses = 2
	maxClasses = 20
)

// OwnAdded says what AddOwn put into the data folder.
type OwnAdded struct {
	Added
	Classes []string
	Counts  [2][]int   // [C] reviews of each class in train and test
	Read    []FileRead // what each file was taken for
	HeldOut float64    // the fraction held out for testing; 0 where the test part was given
	Empty   int        // reviews of blanks alone
	// Reviews, not empty, whose text was there before; those of them with another
	// label; and, where the test part was given, those of it that are in train.
	Repeated, Contradicting, Shared int
}

// FileRead says how a file was read.
type FileRead struct {
	File  string
	Part  Part
	How   tables.How
	Texts int
}

// AddOwn makes a data set of a user's own labelled texts and puts it into the
// data folder in one form, whatever it came in. Everything is checked before it
// gets its name: after an error the folder holds what it held before. It takes
// the lock of the folder.
func AddOwn(ctx context.Context, dir string, in OwnData, o OpenOptions) (a OwnAdded, err error) {
	inputs, err := in.inputs()
	if err != nil {
		return a, err
	}
	err = staging(dir, func(incoming string) (err error) {
		a, err = addOwn(ctx, dir, incoming, in, inputs, o)
		return err
	})
	return a, err
}

// addOwn is AddOwn with the lock held.
func addOwn(ctx context.Context, dir, incoming string, in OwnData, inputs []input, o OpenOptions) (none OwnAdded, err error) {
	if err := in.free(dir, CorpusKind); err != nil {
		return none, err
	}
	g := &gatherer{columns: in.Columns, limits: o.Limits.orDefault(), progress: o.Progress}
	spool := filepath.Join(incoming, in.Name+".spool")
	if err := g.gather(ctx, inputs, spool); err != nil {
		return none, err
	}
	added := OwnAdded{Read: g.read}
	if !g.has(Test) {
		added.HeldOut = cmp.Or(in.TestFraction, DefaultTestFraction)
		err = g.holdOut(added.HeldOut)
	}
	if err == nil {
		err = g.checkClasses()
	}
	if err != nil {
		return none, g.misread(err)
	}
	g.count(&added)

	found := Found{Kind: CorpusKind, Name: in.Name, File: ownFile(in.Name)}
	staged, final := filepath.Join(incoming, found.File), filepath.Join(dir, found.File)
	if err := g.store(ctx, spool, staged, in.Name); err != nil {
		return none, err
	}
	if err := fsx.RemoveFile(spool); err != nil {
		return none, err
	}
	if added.Added, err = finish(ctx, dir, staged, final, found, Expected{Shown: in.Name}, o); err != nil {
		return none, err
	}
	return added, nil
}

// input is a file and what it is for.
type input struct {
	file  string
	part  Part
	class string // of all its lines, "" where it holds labels
}

// inputs checks what can be checked before anything is read, and lists the
// files, those to train on first.
func (in *OwnData) inputs() ([]input, error) {
	if err := vectorsName(in.Name); err != nil {
		return nil, err
	}
	if f := in.TestFraction; f != 0 && !(f >= 0.01 && f <= 0.9) {
		return nil, fmt.Errorf("a test fraction of %v: choose 0.01 to 0.9", f)
	}
	var train, test, extra []input
	parted := ""
	for _, f := range in.Files {
		a, b, ok := tables.Parts(f)
		if !ok {
			train = append(train, input{file: f})
			continue
		}
		parted = f
		train, test = append(train, input{file: a}), append(test, input{file: b, part: Test})
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
		test = append(test, input{file: f, part: Test})
	}
	for _, f := range in.Unlabelled {
		extra = append(extra, input{file: f, part: Extra})
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

// free checks that the name is, for data of a kind.
func (in *OwnData) free(dir string, kind Kind) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	for _, i := range items {
		switch {
		case i.Name != in.Name:
		case i.Kind == VectorsKind:
			return fmt.Errorf("vectors=%s is installed in %s already: choose another name for the data", in.Name, dir)
		case i.Kind != kind:
			return fmt.Errorf("data=%s is installed in %s already and is of another kind (%s): choose another name, or remove it first", in.Name, dir, i.Kind)
		case !in.Force:
			return fmt.Errorf("data=%s is installed in %s already: --force replaces it, another --name keeps both", in.Name, dir)
		}
	}
	return nil
}
