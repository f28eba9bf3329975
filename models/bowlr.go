package models

import "fmt"

// BowLR is logistic regression on TF-IDF of n-grams:
//
//	xⱼ = tfⱼ·idfⱼ / ‖tf∘idf‖,  z = W·x + b
type BowLR struct {
	Ngrams
	Sublinear bool    `key:"tf.sublinear" default:"true" help:"an n-gram that occurs n times counts as 1 + ln n, not n"`
	C         float64 `key:"c" default:"100" above:"0" help:"weight of the loss relative to half the squared length of the weights: a larger value fits train more closely"`
	Convex
}

func init() {
	Register(Info{
		Name: "bow-lr", Title: "logistic regression on TF-IDF of n-grams",
		Source: "Salton and Buckley 1988; solver of Lin, Weng and Keerthi 2008",
		New:    func() Model { return &BowLR{} },
		Watch:  "Measure what attention adds against it. Its heaviest n-grams explain it; compare them with the words that attention finds.",
	})
}

func (m *BowLR) Counts() Counts {
	return Counts{Ngrams: m.Ngrams, Sublinear: m.Sublinear, Loss: "logistic", C: m.C, Share: 1, Tolerance: m.Tolerance}
}

func (m *BowLR) Equations() []string {
	tf := "tfⱼ = count of n-gram j in the review"
	if m.Sublinear {
		tf = "tfⱼ = 1 + ln(count of n-gram j in the review)"
	}
	return []string{
		tf, "idfⱼ = ln((1 + reviews) / (1 + reviews with j)) + 1", "x = tf∘idf / ‖tf∘idf‖", "z = W·x + b",
		fmt.Sprintf("W, b minimise ½‖W‖² + %g·Σ −log softmax(z)[y]", m.C),
	}
}
