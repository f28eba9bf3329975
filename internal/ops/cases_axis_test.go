package ops_test

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// one makes a case of an op with one result.
func one(name string, inputs []input, build func(in []*ops.Node) *ops.Node, ref func(b *ragged.Batch, in []mat64) mat64) opCase {
	return opCase{name, inputs, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{build(in)} },
		func(b *ragged.Batch, in []mat64) []mat64 { return []mat64{ref(b, in)} }}
}

func sinusoidCase(name string, x input, base float64, layout ops.PositionLayout) opCase {
	return one(name, []input{x},
		func(in []*ops.Node) *ops.Node { return ops.Sinusoid(in[0], base, layout) },
		func(b *ragged.Batch, in []mat64) mat64 {
			if x.axis == onFronted {
				b = refFronted(b)
			}
			return refSinusoid(b, in[0], base, layout)
		})
}

func similarityCase(name string, rows, cols, heads int) opCase {
	return one(name, []input{{onWeights, rows, cols}},
		func(in []*ops.Node) *ops.Node { return ops.HeadSimilarity(in[0], heads) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refSimilarity(in[0], heads) })
}

// axisCases are the ops that move between token axes, depend on positions, or
// connect layers; and the older ops on a derived axis.
var axisCases = []opCase{
	one("prepend", []input{{onWords, 0, 5}, {onWeights, 1, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Prepend(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPrepend(b, in[0], in[1]) }),
	one("first", []input{{onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.First(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refFirst(b, in[0]) }),
	one("first of fronted", []input{{onFronted, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.First(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refFirst(refFronted(b), in[0]) }),
	one("padded by pad", []input{{onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Pad(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPad(b, in[0]) }),
	one("mean of fronted", []input{{onFronted, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mean(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refMean(refFronted(b), in[0]) }),
	one("padded mean", []input{{onPadded, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mean(in[0]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refMean(refPadded(b), in[0]) }),
	one("padded linear", []input{{onPadded, 0, 5}, {onWeights, 5, 3}},
		func(in []*ops.Node) *ops.Node { return ops.Linear(in[0], in[1], nil) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refLinear(in[0], in[1], nil) }),

	sinusoidCase("sinusoid", input{onWords, 0, 5}, 10000, ops.Interleaved),
	sinusoidCase("sinusoid of fronted", input{onFronted, 0, 4}, 1000, ops.Interleaved),
	sinusoidCase("sinusoid in halves", input{onWords, 0, 6}, 10000, ops.Halves),
	sinusoidCase("sinusoid in halves, odd", input{onWords, 0, 5}, 10000, ops.Halves),
	one("joined sinusoid", []input{{onWords, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.JoinSinusoid(in[0], 4, 100, ops.Interleaved) },
		func(b *ragged.Batch, in []mat64) mat64 { return refJoined(b, in[0], 4, 100, ops.Interleaved) }),
	one("joined sinusoid of fronted", []input{{onFronted, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.JoinSinusoid(in[0], 5, 10000, ops.Halves) },
		func(b *ragged.Batch, in []mat64) mat64 { return refJoined(refFronted(b), in[0], 5, 10000, ops.Halves) }),
	one("positions", []input{{onWords, 0, 2}, {onWeights, 5100, 2}},
		func(in []*ops.Node) *ops.Node { return ops.AddPositions(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refPositions(b, in[0], in[1]) }),

	one("add on words", []input{{onWords, 0, 5}, {onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Add(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAdd(in[0], in[1]) }),
	one("add on reviews", []input{{onReviews, 0, 5}, {onReviews, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Add(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAdd(in[0], in[1]) }),
	one("mul on words", []input{{onWords, 0, 5}, {onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mul(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refMul(in[0], in[1]) }),
	one("mul on reviews", []input{{onReviews, 0, 5}, {onReviews, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Mul(in[0], in[1]) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refMul(in[0], in[1]) }),
	one("average on words", []input{{onWords, 0, 5}, {onWords, 0, 5}, {onWords, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.Average(in...) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAverage(in) }),
	one("average on reviews", []input{{onReviews, 0, 2}, {onReviews, 0, 2}},
		func(in []*ops.Node) *ops.Node { return ops.Average(in...) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refAverage(in) }),
	one("add review", []input{{onWords, 0, 5}, {onReviews, 0, 5}},
		func(in []*ops.Node) *ops.Node { return ops.AddReview(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refAddReview(b, in[0], in[1]) }),
	one("add review to fronted", []input{{onFronted, 0, 3}, {onReviews, 0, 3}},
		func(in []*ops.Node) *ops.Node { return ops.AddReview(in[0], in[1]) },
		func(b *ragged.Batch, in []mat64) mat64 { return refAddReview(refFronted(b), in[0], in[1]) }),
	mapCase("sigmoid on words", input{onWords, 0, 5}, ops.Sigmoid, refSigmoid),
	mapCase("sigmoid on reviews", input{onReviews, 0, 2}, ops.Sigmoid, refSigmoid),
	mapCase("gelu on words", input{onWords, 0, 5}, ops.GELU, refGELU),
	mapCase("gelu on weights", input{onWeights, 2, 3}, ops.GELU, refGELU),
	mapCase("scale", input{onWords, 0, 5}, func(x *ops.Node) *ops.Node { return ops.Scale(x, -1.75) }, func(v float64) float64 { return -1.75 * v }),
	similarityCase("head similarity", 5, 12, 3),
	similarityCase("head similarity, single columns", 7, 4, 4),
}

// givenCases are of weights of attention that are not learned, and of costs that
// compare with another model.
var givenCases = []opCase{
	{"imposed", []input{{onWords, 0, 1}}, 2,
		func(in []*ops.Node) []*ops.Node {
			a, h := ops.Imposed(in[0])
			return []*ops.Node{a, h}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			h := newMat64(b.Len(), 1)
			for r := range b.Len() {
				for _, p := range in[0].at[b.Offsets[r]:b.Offsets[r+1]] {
					h.at[r] -= p * math.Log(p)
				}
				h.at[r] = max(h.at[r], 0)
			}
			return []mat64{in[0], h}
		}},
	{"divergence", []input{{onWords, 0, 1}, {onWords, 0, 1}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.KL(in[0], in[1])} },
		func(b *ragged.Batch, in []mat64) []mat64 {
			d := newMat64(b.Len(), 1)
			for r := range b.Len() {
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					d.at[r] += in[0].at[i] * math.Log(in[0].at[i]/in[1].at[i])
				}
			}
			return []mat64{d}
		}},
	{"variation", []input{{onReviews, 0, 3}, {onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.TVD(in[0], in[1])} },
		func(b *ragged.Batch, in []mat64) []mat64 {
			out := newMat64(b.Len(), 1)
			for r := range b.Len() {
				p, _ := refSoftmax(in[0].row(r))
				for c, pc := range p {
					out.at[r] += math.Abs(pc-in[1].row(r)[c]) / 2
				}
			}
			return []mat64{out}
		}},
}

func spreadCase(name string, s input, words bool) opCase {
	return one(name, []input{s},
		func(in []*ops.Node) *ops.Node {
			axis := ops.Axis(in[0].Graph().Words())
			if !words {
				axis = in[0].Graph().Words().Reviews()
			}
			return ops.Expand(in[0], axis)
		},
		func(b *ragged.Batch, in []mat64) mat64 { return refSpread(b, in[0], words) })
}

var spreadCases = []opCase{
	spreadCase("spread reviews over words", input{onReviews, 0, 3}, true),
	spreadCase("spread one row over words", input{onWeights, 1, 3}, true),
	spreadCase("spread one row over reviews", input{onWeights, 1, 3}, false),
}

func refSpread(b *ragged.Batch, s mat64, words bool) mat64 {
	y := newMat64(0, s.cols)
	for r := range b.Len() {
		n := 1
		if words {
			n = b.Offsets[r+1] - b.Offsets[r]
		}
		for range n {
			y.at = append(y.at, s.row(min(r, s.rows-1))...)
			y.rows++
		}
	}
	return y
}

// refFronted and refPadded are the batch as it lies on a derived axis.
func refFronted(b *ragged.Batch) *ragged.Batch {
	return relaid(b, func(n int) int { return n + 1 })
}

func refPadded(b *ragged.Batch) *ragged.Batch {
	return relaid(b, func(int) int { return longest(b) })
}

func relaid(b *ragged.Batch, length func(n int) int) *ragged.Batch {
	c := &ragged.Batch{Reviews: b.Reviews, Labels: b.Labels, Order: b.Order, Offsets: []int{0}}
	for r := range b.Len() {
		c.Offsets = append(c.Offsets, c.Offsets[r]+length(b.Offsets[r+1]-b.Offsets[r]))
	}
	return c
}

func refPrepend(b *ragged.Batch, x, row mat64) mat64 {
	y := newMat64(x.rows+b.Len(), x.cols)
	for r := range b.Len() {
		copy(y.row(b.Offsets[r]+r), row.at)
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			copy(y.row(i+r+1), x.row(i))
		}
	}
	return y
}

func refFirst(b *ragged.Batch, x mat64) mat64 {
	y := newMat64(b.Len(), x.cols)
	for r := range b.Len() {
		copy(y.row(r), x.row(b.Offsets[r]))
	}
	return y
}

func refPad(b *ragged.Batch, x mat64) mat64 {
	n := longest(b)
	y := newMat64(b.Len()*n, x.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			copy(y.row(r*n+i-b.Offsets[r]), x.row(i))
		}
	}
	return y
}

// refSinusoid has the formulas of the papers, with math.Pow for the powers.
func refSinusoid(b *ragged.Batch, x mat64, base float64, layout ops.PositionLayout) mat64 {
	table := newMat64(longest(b), x.cols)
	d := float64(x.cols)
	for i := range table.rows {
		for h := range x.cols {
			var pe float64
			switch {
			case layout == ops.Interleaved && h%2 == 0:
				pe = math.Sin(float64(i) / math.Pow(base, float64(h)/d))
			case layout == ops.Interleaved:
				pe = math.Cos(float64(i) / math.Pow(base, float64(h-1)/d))
			case h < x.cols/2:
				pe = math.Sin(float64(i) / math.Pow(base, float64(h)/float64(x.cols/2-1)))
			case h < x.cols/2*2:
				pe = math.Cos(float64(i) / math.Pow(base, float64(h-x.cols/2)/float64(x.cols/2-1)))
			}
			table.row(i)[h] = pe
		}
	}
	return refPositions(b, x, table)
}

// refJoined puts the encodings, p wide, behind the rows.
func refJoined(b *ragged.Batch, x mat64, p int, base float64, layout ops.PositionLayout) mat64 {
	codes := refSinusoid(b, newMat64(x.rows, p), base, layout)
	y := newMat64(x.rows, x.cols+p)
	for i := range x.rows {
		copy(y.row(i)[copy(y.row(i), x.row(i)):], codes.row(i))
	}
	return y
}

func refPositions(b *ragged.Batch, x, table mat64) mat64 {
	y := newMat64(x.rows, x.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			for j, v := range table.row(i - b.Offsets[r]) {
				y.row(i)[j] = x.row(i)[j] + v
			}
		}
	}
	return y
}

func refAdd(a, b mat64) mat64 {
	y := newMat64(a.rows, a.cols)
	for i, v := range a.at {
		y.at[i] = v + b.at[i]
	}
	return y
}

func refAddReview(b *ragged.Batch, x, s mat64) mat64 {
	y := newMat64(x.rows, x.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			for j, v := range s.row(r) {
				y.row(i)[j] = x.row(i)[j] + v
			}
		}
	}
	return y
}

func refGELU(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func refSimilarity(w mat64, heads int) mat64 {
	k := w.cols / heads
	product := func(a, b int) (s float64) {
		for r := range w.rows {
			for c := range k {
				s += w.row(r)[a*k+c] * w.row(r)[b*k+c]
			}
		}
		return s
	}
	y := newMat64(1, 1)
	for i := range heads {
		for j := range heads {
			if c := product(i, j); i != j {
				y.at[0] += c * c / (product(i, i) * product(j, j))
			}
		}
	}
	return y
}

func refAverage(in []mat64) mat64 {
	y := newMat64(in[0].rows, in[0].cols)
	for _, x := range in {
		for i, v := range x.at {
			y.at[i] += v / float64(len(in))
		}
	}
	return y
}
