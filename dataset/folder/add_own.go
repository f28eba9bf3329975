package folder

import (
	"context"
	"fmt"
	"path/filepath"

	"imdbexp/dataset/own"
)

// ReviewsAdded describes what Reviews put into the data folder.
type ReviewsAdded struct {
	Added
	own.Reviews
}

// AddReviews makes a data set of the user's labelled texts, whatever their format, and puts it
// into the data folder in one format. Everything is checked before the file gets its name.
// AddReviews locks the folder.
func AddReviews(ctx context.Context, dir string, in own.Data, o Options) (a ReviewsAdded, err error) {
	a.Added, err = addOwn(ctx, dir, &in, Found{Kind: CorpusKind, Name: in.Name, File: in.Name + ReviewsSuffix}, o,
		func(inputs own.Inputs, to string) error {
			a.Reviews, err = in.WriteReviews(ctx, inputs, to, o.Limits, o.Progress)
			return err
		})
	if err != nil {
		return ReviewsAdded{}, err
	}
	return a, nil
}

// addOwn puts the file that write makes of the user's files into the data folder.
func addOwn(ctx context.Context, dir string, in *own.Data, found Found, o Options, write func(inputs own.Inputs, to string) error) (a Added, err error) {
	if err := CheckName(in.Name); err != nil {
		return a, err
	}
	inputs, err := in.Inputs()
	if err != nil {
		return a, err
	}
	err = stage(dir, func(incoming string) error {
		if err := free(in, dir, found.Kind); err != nil {
			return err
		}
		staged := filepath.Join(incoming, found.File)
		if err := write(inputs, staged); err != nil {
			return err
		}
		a, err = finish(ctx, dir, staged, filepath.Join(dir, found.File), found, false, Expected{Shown: in.Name}, o)
		return err
	})
	return a, err
}

// free checks that the name is free for data of that kind.
func free(in *own.Data, dir string, kind Kind) error {
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

// PairsAdded describes what Pairs put into the data folder.
type PairsAdded struct {
	Added
	own.Pairs
}

// AddPairs makes a data set of the user's sentence pairs and puts it into the data folder; see
// tables.ReadPairs for the files. The test part is in.Test or comes from a column split;
// without them a fraction of the sources is held out, each with all its translations. Pairs
// ignores Classes, Unlabelled and Columns of in. It locks the folder.
func AddPairs(ctx context.Context, dir string, in own.Data, o Options) (a PairsAdded, err error) {
	a.Added, err = addOwn(ctx, dir, &in, Found{Kind: PairsKind, Name: in.Name, File: in.Name + PairsSuffix}, o,
		func(inputs own.Inputs, to string) error {
			a.Pairs, err = in.WritePairs(ctx, inputs, to, o.Progress)
			return err
		})
	if err != nil {
		return PairsAdded{}, err
	}
	return a, nil
}
