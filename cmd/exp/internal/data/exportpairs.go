package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"imdbexp/dataset"
)

// pairsExport writes sentence pairs as TSV; of phrases n to train on where n is not 0.
func (a *app) pairsExport(ctx context.Context, dir, name, out string, n int) error {
	train, test, err := dataset.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	if n > 0 {
		train = dataset.PhrasesToTrain(n)
	}
	out = cmp.Or(out, name+".tsv")
	size, err := a.writeOut(out, func(w io.Writer) error { return dataset.WritePairs(w, train, test) })
	if err != nil || out == "-" {
		return err
	}
	a.printf("%s\n", a.wrap(fmt.Sprintf("wrote %s (%s): %s to train on, %s to test on", out, fileSize(size), pairs(len(train)), thousands(len(test))), "", "  "))
	return nil
}
