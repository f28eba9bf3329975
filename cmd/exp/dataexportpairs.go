package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"imdbexp/dataset/open"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
)

// pairsExport writes sentence pairs as TSV; of phrases n to train on where n is not 0.
func (a *app) pairsExport(ctx context.Context, dir, name, out string, n int) error {
	train, test, err := open.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	if n > 0 {
		train = phrases.ToTrain(n)
	}
	out = cmp.Or(out, name+".tsv")
	size, err := a.writeOut(out, func(w io.Writer) error { return pairs.WriteTSV(w, train, test) })
	if err != nil || out == "-" {
		return err
	}
	a.printf("%s\n", a.wrap(fmt.Sprintf("wrote %s (%s): %s to train on, %s to test on", out, fileSize(size), pairCount(len(train)), thousands(len(test))), "", "  "))
	return nil
}
