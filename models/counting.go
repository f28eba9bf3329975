package models

import "imdbexp/internal/ops"

// Counting is a model of which n-grams a review has, in no order: linear in them, with a
// convex loss. It is no graph of ops. Package models/counts scores n-grams with its
// weights; a network takes the scores as they are, and makes losses and probabilities.
type Counting interface {
	Model
	Counts() Counts
	Equations() []string
}

// Counts says what a Counting model counts, and what its weights minimise.
type Counts struct {
	Ngrams
	Binary    bool // an n-gram is there or not; else TF-IDF, by rows of length 1
	Sublinear bool // of TF-IDF: 1 + ln of the count
	Ratios    bool // scaled by log-count ratios
	Smoothing float64
	Loss      string  // logistic or squared-hinge
	Cost      float64 // of the losses, against half the squared length of the weights
	Share     float64 // β of the weights, 1 − β of the mean of their sizes
	Tolerance float64 // of the gradient's length, as a share of that at zero
}

// Ngrams are the settings of which n-grams count.
type Ngrams struct {
	Longest  int `key:"ngrams" default:"3" min:"1" max:"5" help:"words of the longest n-gram"`
	MinCount int `key:"ngrams.min_count" default:"2" min:"1" help:"n-grams that train has less often are left out"`
	Most     int `key:"ngrams.most" min:"0" help:"only the N most frequent n-grams (0: all)"`
}

// Convex are the settings of the solver.
type Convex struct {
	Tolerance float64 `key:"tolerance" default:"0.001" above:"0" below:"1" help:"the solver ends when the gradient is this share of its length at the start, where all weights are 0"`
}

// Build implements Model: the scores of each review [B, C] are a leaf.
func (*Ngrams) Build(b *Builder, _ *ops.Node) Output {
	b.scores = b.g.Leaf("scores", b.g.Words().Reviews(), b.spec.Out, false)
	return classify(b.scores)
}
