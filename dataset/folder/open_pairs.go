package open

import (
	"context"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
)

// Pairs returns the sentence pairs of that name: phrases.Name, or a data set added by
// install.Pairs. The vocabularies are those of the kept training pairs. For a data set of
// reviews the error is a *folder.KindError.
func Pairs(ctx context.Context, dir, name string, o pairs.Options) (*pairs.Corpus, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	train, test, err := PairTexts(ctx, dir, name, o.Progress)
	if err != nil {
		return nil, err
	}
	return pairs.New(name, train, test, o)
}

// PairTexts returns the original texts of the pairs of a data set, in the order of their
// IDs.
func PairTexts(ctx context.Context, dir, name string, progress dataset.Progress) (train, test []pairs.Pair, err error) {
	if name == phrases.Name {
		train, test = phrases.Pairs()
		return train, test, nil
	}
	own, err := folder.FindOwn(dir, name, folder.PairsKind)
	if err != nil {
		return nil, nil, err
	}
	return pairs.Read(ctx, own.Path, own.Path, progress)
}
