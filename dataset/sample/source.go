package dataset

import (
	"context"

	"imdbexp/dataset/sample"
)

// sampleSource is the embedded corpus, written by the project's own grammar.
type sampleSource struct{}

// String implements Source.
func (sampleSource) String() string { return "sample" }

// Classes implements Source.
func (sampleSource) Classes() []string { return imdbClasses }

// Reviews implements Source.
func (sampleSource) Reviews(_ context.Context, yield func(Part, Review) error) error {
	train, test := sample.Reviews()
	for p, reviews := range [][]sample.Review{Train: train, Test: test} {
		for _, r := range reviews {
			if err := yield(Part(p), Review{ID: r.ID, Text: r.Text, Label: r.Label}); err != nil {
				return err
			}
		}
	}
	return nil
}
