package infer

import (
	"slices"

	"imdbexp/dataset/embedding"
	"imdbexp/runs"
)

// Answer is what a model says about one of many texts. Its numbers are the
// caller's own.
type Answer struct {
	Class   int       // the most probable
	P       []float32 // [C] probability of each class
	Words   int       // that the model saw
	Known   int       // of these with a vector
	Unknown int       // words without a vector, also where oov=masked has left them out
	Entropy float32   // of the attention in nats; NaN for a model without attention
}

// answer copies what a batch says about its text k, of whose words unknown have no
// vector.
func (b *Batch) answer(k int, rows []int32, unknown int) Answer {
	a := Answer{Class: b.Class(k), P: slices.Clone(b.P(k)), Words: len(rows), Unknown: unknown, Entropy: b.Entropy(k)}
	for _, r := range rows {
		if r != embedding.OOVRow {
			a.Known++
		}
	}
	return a
}

// Prediction is the answer as a run keeps it; label is -1 where it is unknown.
func (a Answer) Prediction(id string, label int) runs.Prediction {
	return runs.Prediction{Review: id, Label: label, Predicted: a.Class, Words: a.Words, Entropy: a.Entropy, P: a.P}
}
