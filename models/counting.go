package models

import "imdbexp/internal/ops"

// Counting is a linear bag-of-n-grams model with a convex loss. It has no graph of ops: package
// models/counts computes its scores, and its network only turns them into losses and
// probabilities.
type Counting interface {
	Model
	Counts() Counts
	Equations() []string
}

// Counts are the features of a Counting model and the objective of its weights.
type Counts struct {
	Ngrams
	Binary    bool // features are 0 or 1; else TF-IDF, in rows of length 1
	Sublinear bool // TF is 1 + ln of the count
	Ratios    bool // scaled by log-count ratios
	Smoothing float64
	Loss      string  // logistic or squared-hinge
	C         float64 // of the losses, relative to half the squared length of the weights
	Share     float64 // β, the share of the learned weights; 1 − β is that of the mean of their sizes
	Tolerance float64 // the length of the gradient at the end, as a share of that at zero
}

// Ngrams are the settings that choose the n-grams.
type Ngrams struct {
	Longest  int `key:"ngrams" default:"3" min:"1" max:"5" help:"words of the longest n-gram"`
	MinCount int `key:"ngrams.min_count" default:"2" min:"1" help:"rarer n-grams of train are omitted"`
	Most     int `key:"ngrams.most" min:"0" help:"only the N most frequent n-grams (0: all)"`
}

// Convex are the settings of the solver.
type Convex struct {
	Tolerance float64 `key:"tolerance" default:"0.001" above:"0" below:"1" help:"the solver ends when the length of the gradient is this share of its length at the start, where all weights are 0"`
}

// Build implements Model: the scores of each review [B, C] are a leaf.
func (*Ngrams) Build(b *Builder, _ *ops.Node) Output {
	b.scores = b.g.Leaf("scores", b.g.Words().Reviews(), b.spec.Out, false)
	return classify(b.scores)
}
