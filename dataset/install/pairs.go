package install

import (
	"context"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/open"
	"imdbexp/dataset/own"
)

// PairsAdded says what Pairs put into the data folder.
type PairsAdded struct {
	Added
	own.Pairs
}

// Pairs makes a data set of a user's own sentence pairs and puts it into the
// data folder, see tables.ReadPairs for the files. What is to be tested on is said
// by in.Test or a column split; where neither is there, a fraction of the sources is
// held out, each with all its translations. Of in it takes no Classes, Unlabelled or
// names of columns. As with Reviews the folder holds after an error what it held
// before, and its lock is taken.
func Pairs(ctx context.Context, dir string, in own.Data, o open.Options) (a PairsAdded, err error) {
	a.Added, err = addOwn(ctx, dir, &in, Found{Kind: folder.PairsKind, Name: in.Name, File: in.Name + folder.PairsSuffix}, o,
		func(inputs own.Inputs, to string) error {
			a.Pairs, err = in.WritePairs(ctx, inputs, to, o.Progress)
			return err
		})
	if err != nil {
		return PairsAdded{}, err
	}
	return a, nil
}
