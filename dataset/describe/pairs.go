package dataset

import (
	"encoding/csv"
	"io"
)

// PairsDescription is what sentence pairs look like in numbers.
type PairsDescription struct {
	Name, Digest, Tokenizer string
	Splits                  []PairSplitDescription
}

// PairSplitDescription describes one split.
type PairSplitDescription struct {
	Part           Part
	Pairs          int
	Source, Target SideDescription
}

// SideDescription describes one side of a split, as if it were one of reviews.
type SideDescription struct {
	SplitDescription
	Unknown float64 // share of the running words that train does not have
}

// DescribePairs counts.
func DescribePairs(p *Pairs) PairsDescription {
	d := PairsDescription{Name: p.Name, Digest: p.Digest, Tokenizer: p.Tokenizer}
	for i, e := range []*Encoded{Train: p.Train, Test: p.Test} {
		part := Part(i)
		d.Splits = append(d.Splits, PairSplitDescription{part, e.Len(), e.describe(part, p.Source), e.Targets.describe(part, p.Target)})
	}
	return d
}

func (e *Encoded) describe(p Part, words *Words) SideDescription {
	s := Split{e.IDs, e.Offsets, e.Labels, e.Names}
	unknown := 0
	for _, id := range e.IDs {
		if id == UnknownID {
			unknown++
		}
	}
	return SideDescription{s.describe(p, 1, words.Len()), share(unknown, len(e.IDs))}
}

// WritePairs writes sentence pairs as TSV with a header of source, target and split,
// which AddPairs reads again. A side that holds a tab, a quote or a line break is
// quoted as in RFC 4180.
func WritePairs(out io.Writer, train, test []Pair) error {
	w := csv.NewWriter(out)
	w.Comma = '\t'
	if err := w.Write([]string{"source", "target", "split"}); err != nil {
		return err
	}
	for part, split := range [][]Pair{Train: train, Test: test} {
		for _, p := range split {
			if err := w.Write([]string{p.Source, p.Target, Part(part).String()}); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}
