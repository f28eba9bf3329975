package pairs

import (
	"encoding/csv"
	"io"

	"imdbexp/dataset"
)

// WriteTSV writes sentence pairs as TSV with a header of source, target and split,
// which tables.ReadPairs reads again. A side that holds a tab, a quote or a line break is
// quoted as in RFC 4180.
func WriteTSV(out io.Writer, train, test []Pair) error {
	w := csv.NewWriter(out)
	w.Comma = '\t'
	if err := w.Write([]string{"source", "target", "split"}); err != nil {
		return err
	}
	for part, split := range [][]Pair{dataset.Train: train, dataset.Test: test} {
		for _, p := range split {
			if err := w.Write([]string{p.Source, p.Target, dataset.Part(part).String()}); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}
