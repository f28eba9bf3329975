package models

import "imdbexp/internal/ops"

// Wide puts what the n-grams of a review come to beside what a network has read, as two
// inputs of one classifier (Cheng et al. 2016, Wide & Deep Learning):
//
//	t̂ = [c; s],  z = W·t̂ + b
//
// s [B, C] are the scores of a Counting model that has been fitted before. Those of the
// train reviews come from fits without them, in folds (stacking, Wolpert 1992): scores of
// reviews that it knows by heart would teach the classifier to trust it alone.
type Wide struct {
	Counter string `key:"wide" default:"none" choices:"none|nbsvm" help:"nbsvm: what model nbsvm, of three words and c=0.1, makes of a review's n-grams is an input of the classifier, too"`
	Folds   int    `key:"wide.folds" default:"5" min:"2" max:"50" needs:"wide=nbsvm" help:"parts of train, each of which gets its scores from a fit on the others"`
}

// Names of the n-grams and of their weights among what a run keeps beside its own.
const (
	WideFeatures = "wide.features"
	WidePrefix   = "wide."
)

// WideWeights finds those weights by the names that they have where they were fitted.
func WideWeights(kept func(name string, rows, cols int) ([]float32, error)) func(name string, rows, cols int) ([]float32, error) {
	return func(name string, rows, cols int) ([]float32, error) { return kept(WidePrefix+name, rows, cols) }
}

// Widened is a model that may have such a second input.
type Widened interface {
	// Beside returns what is counted, and in how many folds; nil for nothing.
	Beside() (m Counting, folds int)
}

// Beside implements Widened.
func (w *Wide) Beside() (Counting, int) {
	if w.Counter == "none" {
		return nil, 0
	}
	// Not the model's own defaults, which may come to be others: a run's ID says no more
	// of these than that they are wide=nbsvm.
	return &NBSVM{Ngrams: Ngrams{Longest: 3, MinCount: 2}, Loss: "logistic", Alpha: 1, Beta: 1, C: 0.1, Convex: Convex{Tolerance: 0.001}}, w.Folds
}

// Beside returns what a model's classifier sees beside what it has read; nil for nothing.
func Beside(m Model) (beside Counting, folds int) {
	if w, is := m.(Widened); is {
		return w.Beside()
	}
	return nil, 0
}

// join puts the scores behind c [B, d].
func (w *Wide) join(b *Builder, c *ops.Node) *ops.Node {
	if w.Counter == "none" {
		return c
	}
	if b.scores == nil {
		b.scores = b.g.Leaf("n-grams", b.g.Words().Reviews(), b.spec.Classes, false)
	}
	return ops.Concat(c, b.scores)
}
