package ops_test

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

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
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Divergence(in[0], in[1])} },
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
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Variation(in[0], in[1])} },
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
