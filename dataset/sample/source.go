package sample

import (
	"context"

	"imdbexp/dataset"
)

// Source is the embedded corpus, as a corpus is read.
type Source struct{}

// String implements Source.
func (Source) String() string { return "sample" }

// Classes implements Source.
func (Source) Classes() []string { return []string{"neg", "pos"} }

// Reviews implements Source.
func (Source) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	train, test := Reviews()
	for p, reviews := range [][]Review{dataset.Train: train, dataset.Test: test} {
		for _, r := range reviews {
			if err := yield(dataset.Part(p), dataset.Review{ID: r.ID, Text: r.Text, Label: r.Label}); err != nil {
				return err
			}
		}
	}
	return nil
}
