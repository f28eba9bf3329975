package sample

import (
	"context"
	"slices"
	"strings"

	"imdbexp/dataset"
)

// Source is the embedded corpus, as a corpus is read.
type Source struct{}

// String implements Source.
func (Source) String() string { return "sample" }

// Classes implements Source.
func (Source) Classes() []string { return []string{"neg", "pos"} }

// HasRationales reports that reviews have them.
func (Source) HasRationales() bool { return true }

// rationale are the words that decide the label, which the grammar knows.
func (r Review) rationale() (spans []dataset.Span) {
	at := 0
	for i, word := range strings.Split(r.Text, " ") {
		if slices.Contains(r.Verdict, i) {
			spans = append(spans, dataset.Span{Start: at, End: at + len(word)})
		}
		at += len(word) + 1
	}
	return spans
}

// Reviews implements Source.
func (Source) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	train, test := Reviews()
	for p, reviews := range [][]Review{dataset.Train: train, dataset.Test: test} {
		for _, r := range reviews {
			if err := yield(dataset.Part(p), dataset.Review{ID: r.ID, Text: r.Text, Label: r.Label, Rationale: r.rationale()}); err != nil {
				return err
			}
		}
	}
	return nil
}
