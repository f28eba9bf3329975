package infer

import (
	"math"
	"slices"

	"imdbexp/models"
)

// global is attention with one query for a review: the models simple, query,
// values and lstm.
func (x *exact) global(s *Steps, words [][]float64) error {
	keys, values := words, words
	var query []float64
	ofReview := func() {
		query = x.linear("query", [][]float64{mean(keys)})[0]
		s.From = "the query that the review's mean asks with"
	}
	var head models.Head
	switch m := x.model.(type) {
	case *models.Simple:
		head, query, s.From = m.Head, x.vector("q"), "the one learned query"
	case *models.Query:
		head = m.Head
		ofReview()
	case *models.Values:
		head, values = m.Head, x.values(m.Value, words)
		ofReview()
	case *models.LSTM:
		if m.Pool != "attention" {
			return notStepped("with pool=" + m.Pool + " the model has no attention")
		}
		states := x.states("lstm", words, false)
		if m.Bidirectional {
			for i, back := range x.states("lstm.back", words, true) {
				states[i] = append(states[i], back...)
			}
		}
		head, values = m.Head, x.values(m.Value, states)
		if !m.ValuesOnly {
			keys = states
		}
		ofReview()
	default:
		return notStepped("not of this model")
	}
	if x.err != nil {
		return x.err
	}
	s.attend(query, keys, values, 1)
	x.classify(s, head, s.Sum)
	if x.err == nil && !head.ReLULogits {
		x.adds(s)
	}
	return x.err
}

// values is v(h) = f(V·h + c).
func (x *exact) values(v models.Value, rows [][]float64) [][]float64 {
	return activate(v.Activation, x.linear("value", rows))
}

// classify is the linear classifier on a review's vector.
func (x *exact) classify(s *Steps, head models.Head, t []float64) {
	z := x.linear("out", [][]float64{t})
	if head.ReLULogits {
		z, s.Slip = activate("relu", z), "a ReLU (slip.relu_logits)"
	}
	s.Logits = z[0]
}

// adds splits the logits into what each word adds, which a linear classifier lets.
func (x *exact) adds(s *Steps) {
	s.Bias = x.vector("out.b")
	for i, v := range s.Values {
		row := slices.Clone(v)
		for j := range row {
			row[j] *= s.Weights[i]
		}
		s.Adds = append(s.Adds, x.times([][]float64{row}, "out.W")[0])
	}
}

// states runs an LSTM over the words, see ops.LSTM.
func (x *exact) states(name string, words [][]float64, reverse bool) [][]float64 {
	wh := x.matrix(name + ".Wh")
	gates := x.times(words, name+".Wx")
	b, h := x.vector(name+".b"), len(wh)
	if x.err != nil {
		return nil
	}
	out := make([][]float64, len(words))
	state, cell := make([]float64, h), make([]float64, h)
	for t := range words {
		at := t
		if reverse {
			at = len(words) - 1 - t
		}
		z := gates[at]
		plus(z, b)
		plus(z, x.times([][]float64{state}, name+".Wh")[0])
		state = slices.Clone(state)
		for k := range h {
			in, forget, new, open := sigmoid(z[k]), sigmoid(z[h+k]), math.Tanh(z[2*h+k]), sigmoid(z[3*h+k])
			cell[k] = forget*cell[k] + in*new
			state[k] = open * math.Tanh(cell[k])
		}
		out[at] = state
	}
	return out
}
