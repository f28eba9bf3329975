package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// PairsAdded says what AddPairs put into the data folder.
type PairsAdded struct {
	Added
	Read    []FileRead // what each file was taken for
	HeldOut float64    // the fraction held out for testing; 0 where the test part was given
	Empty   int        // pairs of which a side has no word; left out
	// Pairs that were there before, word by word; those whose source was there with
	// another target; and those to test on whose source is in train.
	Repeated, Ambiguous, Shared int
}

// AddPairs makes a data set of a user's own sentence pairs and puts it into the
// data folder, see tables.ReadPairs for the files. What is to be tested on is said
// by in.Test or a column split; where neither is there, a fraction of the sources is
// held out, each with all its translations. Of in it takes no Classes, Unlabelled or
// names of columns. As with AddOwn the folder holds after an error what it held
// before, and its lock is taken.
func AddPairs(ctx context.Context, dir string, in OwnData, o OpenOptions) (a PairsAdded, err error) {
	inputs, err := in.inputs()
	if err != nil {
		return a, err
	}
	err = staging(dir, func(incoming string) (err error) {
		a, err = addPairs(ctx, dir, incoming, in, inputs, o)
		return err
	})
	return a, err
}

// addPairs is AddPairs with the lock held.
func addPairs(ctx context.Context, dir, incoming string, in OwnData, inputs []input, o OpenOptions) (none PairsAdded, err error) {
	if err := in.free(dir, PairsKind); err != nil {
		return none, err
	}
	g := &pairGatherer{}
	for _, x := range inputs {
		if err := g.file(ctx, x, in.Columns.Encoding, o.Progress); err != nil {
			return none, err
		}
	}
	a := PairsAdded{Read: g.sources.read, Empty: g.empty}
	switch test := g.has(Test); {
	case test && in.TestFraction != 0:
		return none, fmt.Errorf("%s says what to test on: leave out --test-fraction", g.splitBy)
	case !test:
		a.HeldOut = cmp.Or(in.TestFraction, DefaultTestFraction)
		err = g.holdOut(a.HeldOut)
	case !g.has(Train):
		err = errors.New("no pairs to train on")
	}
	if err != nil {
		return none, g.sources.misread(err)
	}
	a.Repeated, a.Ambiguous, a.Shared = g.count()

	found := Found{Kind: PairsKind, Name: in.Name, File: in.Name + pairsSuffix}
	staged := filepath.Join(incoming, found.File)
	train, test := g.splits()
	if err := writePairs(staged, in.Name, sources(g.sources.read), train, test); err != nil {
		return none, err
	}
	a.Added, err = finish(ctx, dir, staged, filepath.Join(dir, found.File), found, Expected{Shown: in.Name}, o)
	return a, err
}
