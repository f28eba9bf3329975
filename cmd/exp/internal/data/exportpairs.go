package data

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"imdbexp/dataset/open"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// pairsExport writes sentence pairs as TSV. For phrases, n > 0 is the number of training pairs.
func pairsExport(ctx context.Context, o *term.IO, dir, name, out string, n int) error {
	train, test, err := open.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	if n > 0 {
		train = phrases.ToTrain(n)
	}
	out = cmp.Or(out, name+".tsv")
	size, err := writeOut(o, out, func(w io.Writer) error { return pairs.WriteTSV(w, train, test) })
	if err != nil || out == "-" {
		return err
	}
	o.Say(fmt.Sprintf("wrote %s (%s): %s to train on, %s to test on", out, format.Bytes(size), format.Counted(len(train), "pair"), format.Thousands(len(test))), "", "  ")
	return nil
}
