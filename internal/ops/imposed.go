package ops

import (
	"errors"

	"imdbexp/internal/diagram"
)

// Imposed uses given weights as the attention of each review:
//
//	αᵢ = wᵢ    H = −Σᵢ wᵢ log wᵢ
//
// w is [N, 1], not negative, and adds up to one in each review. Results as from Attend: the
// weights [N, 1] and their entropy [B, 1] in nats.
func Imposed(w *Node) (attention, entropy *Node) {
	k := &imposed{onWords: w.words("imposed")}
	if w.cols != 1 {
		w.g.fail("imposed: needs one weight a word")
	}
	r := w.g.apply("imposed", k, []*Node{w}, result{k.seq, 1}, result{k.seq.reviews, 1})
	return r[0], r[1]
}

type imposed struct {
	onWords
	logs []float32 // [N]
}

func (k *imposed) forward(in, out []Mat) error {
	w := in[0].Data
	k.logs = grown(k.logs, len(w))
	return k.each(func(_, b, lo, hi int) {
		copy(out[0].Data[lo:hi], w[lo:hi])
		out[1].Data[b] = logEntropy(k.logs[lo:hi], w[lo:hi])
	})
}

// minWeight is the smallest attention weight in a logarithm; smaller ones count as minWeight.
// A softmax gives 0 for words far below the largest score, and −α log α is 0 there.
const minWeight = 1e-30

func floored(dst, weights []float32) {
	for i, w := range weights {
		dst[i] = max(w, minWeight)
	}
}

func (k *imposed) exact(in, out []Mat64) error {
	copy(out[0].Data, in[0].Data)
	for b := range out[1].Rows {
		out[1].Data[b] = exactEntropy(k.seq.of(in[0], b).Data)
	}
	return nil
}

// backward computes ∂wᵢ = ∂αᵢ − ∂H (log wᵢ + 1).
func (k *imposed) backward(_, _, dout []Mat, din []Grad) error {
	return k.each(func(_, b, lo, hi int) {
		for i := lo; i < hi; i++ {
			var d float32
			if dout[0].Data != nil {
				d = dout[0].Data[i]
			}
			if dout[1].Data != nil {
				d -= float32(dout[1].Data[b] * (k.logs[i] + 1))
			}
			din[0].add(i, d)
		}
	})
}

// errImposed is the error of exporting a model with imposed weights.
var errImposed = errors.New("the attention weights come from another run, which has them only for the texts of its data")

func (k *imposed) onnx(*Export, []*Node) ([]string, error) { return nil, errImposed }

func (k *imposed) picture(s *Sketch, n *Node) drawn {
	weights := "αᵢ of another run"
	if s.listing {
		weights = "αᵢ = that of another run"
	}
	return drawn{s.box(diagram.Op(append([]string{weights}, s.notes[k]...)...)), "α"}
}
