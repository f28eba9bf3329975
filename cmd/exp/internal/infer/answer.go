package infer

import (
	"slices"

	"imdbexp/dataset/embedding"
	"imdbexp/runs"
)

// Answer is the prediction for one of many texts. Its numbers are copies.
type Answer struct {
	Class   int       // the most probable
	P       []float32 // [C] probability of each class
	Words   int       // that the model read
	Known   int       // of these, words with a vector
	Unknown int       // words without a vector, also those that oov=masked omits
	Entropy float32   // of the attention in nats; NaN for a model without attention
}

// answer copies the prediction of a batch for its text k, of whose words unknown have no vector.
func (b *Batch) answer(k int, rows []int32, unknown int) Answer {
	a := Answer{Class: b.Class(k), P: slices.Clone(b.P(k)), Words: len(rows), Unknown: unknown, Entropy: b.Entropy(k)}
	for _, r := range rows {
		if r != embedding.OOVRow {
			a.Known++
		}
	}
	return a
}

// Prediction returns the answer in the format of a run's predictions; label is -1 if unknown.
func (a Answer) Prediction(id string, label int) runs.Prediction {
	return runs.Prediction{Review: id, Label: label, Predicted: a.Class, Words: a.Words, Entropy: a.Entropy, P: a.P}
}
