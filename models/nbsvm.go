package models

import "fmt"

// NBSVM scales binary n-gram features by log-count ratios, as naive Bayes does, and learns their
// weights:
//
//	x̃ = r∘x,  z = W·x̃ + b
type NBSVM struct {
	Ngrams
	Loss  string  `key:"loss" default:"logistic" choices:"logistic|squared-hinge" help:"loss of a wrong score; the paper's SVM has the squared hinge, which fits as closely with a tenth of c"`
	Alpha float64 `key:"nbsvm.alpha" default:"1" above:"0" help:"added to the counts in the ratios"`
	Beta  float64 `key:"nbsvm.beta" default:"1" min:"0" max:"1" help:"between naive Bayes (0) and the learned weights (1); the paper's SVM has 0.25"`
	C     float64 `key:"c" default:"0.1" above:"0" help:"weight of the loss relative to half the squared length of the weights: a larger value fits train more closely (loss=squared-hinge: try 0.01)"`
	Convex
}

func init() {
	Register(Info{
		Name: "nbsvm", Title: "n-grams weighed by log-count ratios",
		Source: "Wang and Manning 2012; solver of Lin, Weng and Keerthi 2008",
		New:    func() Model { return &NBSVM{} },
		Watch:  "Measure attention against it, and compare its heaviest n-grams with the words that attention finds.",
	})
}

func (m *NBSVM) Counts() Counts {
	return Counts{
		Ngrams: m.Ngrams, Binary: true, Ratios: true, Smoothing: m.Alpha,
		Loss: m.Loss, C: m.C, Share: m.Beta, Tolerance: m.Tolerance,
	}
}

func (m *NBSVM) Equations() []string {
	loss := "−log softmax(z)[y]"
	if m.Loss == "squared-hinge" {
		loss = "max(0, 1 ∓ z)²"
	}
	out := []string{
		"xⱼ = 1 if n-gram j is in the review, else 0",
		fmt.Sprintf("pⱼ, qⱼ = %g + reviews with j of a class, of the others", m.Alpha),
		"r = ln((p/‖p‖₁) / (q/‖q‖₁))", "z = W·(r∘x) + b", fmt.Sprintf("W, b minimise ½‖W‖² + %g·Σ %s", m.C, loss),
	}
	if m.Beta != 1 {
		out = append(out, fmt.Sprintf("then W ← %g·W + %g·‖W‖₁/F, F the number of n-grams", m.Beta, 1-m.Beta))
	}
	return out
}
