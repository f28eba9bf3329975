package ops_test

import (
	"math"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// axis is the axis of an input.
type axis int

const (
	onWords   axis = iota // [N, cols]
	onReviews             // [B, cols]
	onWeights             // [rows, cols]
	onFronted             // [N+B, cols], a row more in front of each review
	onPadded              // [B·longest, cols]
	onTargets             // [M, cols]
	onPast                // [P, cols]
)

// input is the shape of one input; rows counts only for weights.
type input struct {
	axis       axis
	rows, cols int
}

// positive are the ops whose inputs are weights or probabilities: above 0.
var positive = []string{"imposed", "divergence"}

// size returns the number of rows in a batch.
func (i input) size(b *ragged.Batch) int {
	switch i.axis {
	case onWords:
		return b.Words()
	case onReviews:
		return b.Len()
	case onFronted:
		return b.Words() + b.Len()
	case onPadded:
		return b.Len() * longest(b)
	case onTargets:
		return b.Targets()
	case onPast:
		return b.PastOffsets[b.Len()]
	}
	return i.rows
}

// opCase is one op with its inputs, and its formula in float64.
type opCase struct {
	name   string
	inputs []input
	smooth int // how many of its results, the first, can be part of a cost
	build  func(in []*ops.Node) []*ops.Node
	ref    func(b *ragged.Batch, in []mat64) []mat64
}

func lstmCase(name string, d, h int, reverse bool) opCase {
	return opCase{name, []input{{onWords, 0, d}, {onWeights, d, 4 * h}, {onWeights, h, 4 * h}, {onWeights, 1, 4 * h}}, 2,
		func(in []*ops.Node) []*ops.Node {
			s, l := ops.LSTM(in[0], in[1], in[2], in[3], reverse)
			return []*ops.Node{s, l}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			s, l := refLSTM(b, in[0], in[1], in[2], in[3], reverse)
			return []mat64{s, l}
		}}
}

func gruCase(name string, d, h int, reverse bool) opCase {
	return opCase{name, []input{{onWords, 0, d}, {onWeights, d, 3 * h}, {onWeights, h, 3 * h}, {onWeights, 1, 3 * h}, {onWeights, 1, 3 * h}}, 2,
		func(in []*ops.Node) []*ops.Node {
			s, l := ops.GRU(in[0], in[1], in[2], in[3], in[4], reverse)
			return []*ops.Node{s, l}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			s, l := refGRU(b, in[0], in[1], in[2], in[3], in[4], reverse)
			return []mat64{s, l}
		}}
}

func rnnCase(name string, d, h int, reverse bool) opCase {
	return opCase{name, []input{{onWords, 0, d}, {onWeights, d, h}, {onWeights, h, h}, {onWeights, 1, h}}, 2,
		func(in []*ops.Node) []*ops.Node {
			s, l := ops.RNN(in[0], in[1], in[2], in[3], reverse)
			return []*ops.Node{s, l}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			s, l := refRNN(b, in[0], in[1], in[2], in[3], reverse)
			return []mat64{s, l}
		}}
}

func attendCase(name string, query input, d int, scale float32, by ops.Normaliser) opCase {
	return opCase{name, []input{query, {onWords, 0, d}}, 2,
		func(in []*ops.Node) []*ops.Node {
			a, h := ops.Attend(in[0], in[1], scale)
			a.Normalise(by)
			return []*ops.Node{a, h}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			a, h := refAttend(b, in[0], in[1], float64(scale), by)
			return []mat64{a, h}
		}}
}

func linearCase(name string, x input, out int, bias bool) opCase {
	c := opCase{name, []input{x, {onWeights, x.cols, out}, {onWeights, 1, out}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Linear(in[0], in[1], in[2])} },
		func(_ *ragged.Batch, in []mat64) []mat64 { return []mat64{refLinear(in[0], in[1], in[2].at)} }}
	if !bias {
		c.inputs = c.inputs[:2]
		c.build = func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Linear(in[0], in[1], nil)} }
		c.ref = func(_ *ragged.Batch, in []mat64) []mat64 { return []mat64{refLinear(in[0], in[1], nil)} }
	}
	return c
}

func mapCase(name string, x input, f func(*ops.Node) *ops.Node, ref func(float64) float64) opCase {
	return opCase{name, []input{x}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{f(in[0])} },
		func(_ *ragged.Batch, in []mat64) []mat64 { return []mat64{refMap(in[0], ref)} }}
}

func dropoutCase(name string, x input, p float32) opCase {
	return opCase{name, []input{x}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Dropout(in[0], "test", p)} },
		func(b *ragged.Batch, in []mat64) []mat64 {
			return []mat64{refDropout(b, in[0], "test", p, x.axis == onWords)}
		}}
}

// cases holds every op on every axis that it takes.
var cases = slices.Concat(wordCases, givenCases, axisCases, normCases, spreadCases, attentionCases, pairCases, guessCases)

var wordCases = []opCase{
	{"mean", []input{{onWords, 0, 5}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Mean(in[0])} },
		func(b *ragged.Batch, in []mat64) []mat64 { return []mat64{refMean(b, in[0])} }},
	{"max", []input{{onWords, 0, 19}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Max(in[0])} },
		func(b *ragged.Batch, in []mat64) []mat64 { return []mat64{refMax(b, in[0])} }},
	linearCase("linear on words", input{onWords, 0, 5}, 3, true),
	linearCase("linear on reviews", input{onReviews, 0, 5}, 3, true),
	linearCase("linear without bias", input{onWords, 0, 5}, 17, false),
	mapCase("relu on words", input{onWords, 0, 5}, ops.ReLU, refReLU),
	mapCase("relu on reviews", input{onReviews, 0, 3}, ops.ReLU, refReLU),
	mapCase("tanh on words", input{onWords, 0, 5}, ops.Tanh, math.Tanh),
	mapCase("tanh on weights", input{onWeights, 2, 3}, ops.Tanh, math.Tanh),
	{"concat of words", []input{{onWords, 0, 5}, {onWords, 0, 2}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Concat(in[0], in[1])} },
		func(_ *ragged.Batch, in []mat64) []mat64 { return []mat64{refConcat(in[0], in[1])} }},
	{"concat of reviews", []input{{onReviews, 0, 1}, {onReviews, 0, 4}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Concat(in[0], in[1])} },
		func(_ *ragged.Batch, in []mat64) []mat64 { return []mat64{refConcat(in[0], in[1])} }},
	attendCase("attend, one query", input{onWeights, 1, 5}, 5, 1, ops.Softmax),
	attendCase("attend, one query, scaled", input{onWeights, 1, 5}, 5, 0.3, ops.Softmax),
	attendCase("attend, a query each", input{onReviews, 0, 5}, 5, 1, ops.Softmax),
	attendCase("sparsemax, one query, scaled", input{onWeights, 1, 5}, 5, 0.3, ops.Sparsemax),
	attendCase("sparsemax, a query each", input{onReviews, 0, 5}, 5, 1, ops.Sparsemax),
	attendCase("1.5-entmax, one query, scaled", input{onWeights, 1, 5}, 5, 0.3, ops.Entmax15),
	attendCase("1.5-entmax, a query each", input{onReviews, 0, 5}, 5, 1, ops.Entmax15),
	{"weighted sum", []input{{onWords, 0, 1}, {onWords, 0, 5}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.WeightedSum(in[0], in[1])} },
		func(b *ragged.Batch, in []mat64) []mat64 { return []mat64{refWeightedSum(b, in[0], in[1])} }},
	lstmCase("lstm", 5, 4, false),
	lstmCase("lstm, reversed", 5, 3, true),
	gruCase("gru", 5, 4, false),
	gruCase("gru, reversed", 5, 3, true),
	rnnCase("rnn", 5, 4, false),
	rnnCase("rnn, reversed", 5, 3, true),
	dropoutCase("dropout on words", input{onWords, 0, 5}, 0.4),
	dropoutCase("dropout on reviews", input{onReviews, 0, 7}, 0.5),
	{"cross-entropy", []input{{onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node {
			l := ops.CrossEntropy(in[0], 0, nil)
			return []*ops.Node{l.Mean, l.Each, l.Probs}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			m, e, s := refCrossEntropy(b, in[0])
			return []mat64{m, e, s}
		}},
	{"margin", []input{{onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Margin(in[0])} },
		func(b *ragged.Batch, in []mat64) []mat64 { return []mat64{refMargin(b, in[0])} }},
}
