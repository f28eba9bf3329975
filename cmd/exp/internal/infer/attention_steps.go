package infer

import (
	"slices"

	"imdbexp/internal/ops"
)

// Steps are the intermediate numbers of a model's attention to one text, computed again in float64
// from the run's weights: the query, then for each of the n words (or with [CLS] before them)
// score, scaled score, softmax and value, and the weighted sum. For self-attention they belong to
// one head and one query word.
type Steps struct {
	Words []string `json:"words"` // [n]
	Known []bool   `json:"known"` // [n] it has a vector; [CLS] has one

	From    string      `json:"from"`    // description of the query, such as "the query of the review"
	Query   []float64   `json:"query"`   // [k]
	Scores  []float64   `json:"scores"`  // [n] query · key, or v·tanh(query + key)
	Scale   float64     `json:"scale"`   // of the scores
	Scaled  []float64   `json:"scaled"`  // [n] Scale · score
	Weights []float64   `json:"weights"` // [n] softmax
	Values  [][]float64 `json:"values"`  // [n, v]; nil if nothing is summed
	Sum     []float64   `json:"sum"`     // [v] Σ weight · value

	Additive bool   `json:"additive"` // the scores are v·tanh(query + key)
	By       string `json:"by"`       // the normaliser of the scaled scores
	Formula  string `json:"formula"`  // of a weight

	// Adds is the contribution of each word to each logit [n, C], and Bias is the rest [C]; nil
	// if the rest of the network is not linear.
	Adds [][]float64 `json:"adds"`
	Bias []float64   `json:"bias"`

	// All is the softmax of all words of the head, one row for each query [n, n]; nil for a model
	// with one query.
	All         [][]float64 `json:"-"`
	OverQueries bool        `json:"over"` // slip.softmax_queries: the columns of All add up to one, not its rows
	Place       int         `json:"-"`    // the row of All that the other numbers belong to

	Slip    string    `json:"slip"`    // functions applied to the logits, such as "a ReLU (slip.relu_logits)"; "" for none
	Logits  []float64 `json:"logits"`  // [C] computed in float64
	Network []float32 `json:"network"` // [C] of the network
}

// StepsWords is the maximum length of a text for Steps, which people read.
const StepsWords = 64

// Steps computes the attention to a short text step by step. For self-attention o chooses the
// layer, the head (by default 1) and the query word (by default [CLS], or the first word).
func (m *Model) Steps(text string, o Look) (*Steps, error) {
	e := m.Encode(text)
	if Wordless(e.Words) {
		return nil, LookErrorf("the text has no words; use a short text, such as 'not a great film'")
	}
	if n := len(e.Rows); n > StepsWords {
		return nil, LookErrorf("the text has %d words; steps are shown for at most %d", n, StepsWords)
	}
	b, err := m.Ask(e)
	if err != nil {
		return nil, err
	}
	s := &Steps{Known: e.Known, Network: slices.Clone(b.Logits(0))}
	for _, w := range e.Words {
		s.Words = append(s.Words, w.Word)
	}
	if b.front > 0 {
		s.Words, s.Known = append([]string{CLS}, s.Words...), append([]bool{true}, s.Known...)
	}
	r := &reader{Exact: ops.NewExact(), out: m.network.Output(), classes: m.network.Classes(), steps: s}
	if err := r.read(b, e, o); err != nil {
		return nil, err
	}
	return s, nil
}
