package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"imdbexp/dataset"
)

// pairsExport writes sentence pairs as TSV.
func (a *app) pairsExport(ctx context.Context, dir, name, out string) error {
	train, test, err := dataset.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	out = cmp.Or(out, name+".tsv")
	size, err := a.writeOut(out, func(w io.Writer) error { return dataset.WritePairs(w, train, test) })
	if err != nil || out == "-" {
		return err
	}
	a.printf("%s\n", a.wrap(fmt.Sprintf("wrote %s (%s): %s to train on, %s to test on", out, fileSize(size), pairs(len(train)), thousands(len(test))), "", "  "))
	return nil
}
