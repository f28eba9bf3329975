package install

import (
	"context"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/open"
	"imdbexp/dataset/own"
)

// PairsAdded describes what Pairs put into the data folder.
type PairsAdded struct {
	Added
	own.Pairs
}

// Pairs makes a data set of the user's sentence pairs and puts it into the data folder; see
// tables.ReadPairs for the files. The test part is in.Test or comes from a column split;
// without them a fraction of the sources is held out, each with all its translations. Pairs
// ignores Classes, Unlabelled and Columns of in. It locks the folder.
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
