package describe

import (
	"imdbexp/dataset"
	"imdbexp/dataset/pairs"
)

// PairsDescription is what sentence pairs look like in numbers.
type PairsDescription struct {
	Name, Digest, Tokenizer string
	Splits                  []PairSplit
}

// PairSplit describes one split.
type PairSplit struct {
	Part           dataset.Part
	Pairs          int
	Source, Target Side
}

// Side describes one side of a split, as if it were one of reviews.
type Side struct {
	Split
	Unknown float64 // share of the running words that train does not have
}

// Pairs counts.
func Pairs(p *pairs.Corpus) PairsDescription {
	d := PairsDescription{Name: p.Name, Digest: p.Digest, Tokenizer: p.Tokenizer}
	for i, e := range []*dataset.Encoded{dataset.Train: p.Train, dataset.Test: p.Test} {
		part := dataset.Part(i)
		d.Splits = append(d.Splits, PairSplit{part, e.Len(), describeSide(e, part, p.Source), describeSide(e.Targets, part, p.Target)})
	}
	return d
}

func describeSide(e *dataset.Encoded, p dataset.Part, words *pairs.Words) Side {
	s := &dataset.Split{IDs: e.IDs, Offsets: e.Offsets, Labels: e.Labels, Names: e.Names}
	unknown := 0
	for _, id := range e.IDs {
		if id == pairs.UnknownID {
			unknown++
		}
	}
	return Side{describeSplit(s, p, 1, words.Len()), share(unknown, len(e.IDs))}
}
