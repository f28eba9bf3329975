package infer

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Pools reports whether the model has attention with one weight a word, by which what
// becomes of the words is added up.
func (m *Model) Pools() bool { return m.network.Pools() }

// Attends reports whether the model has attention: one weight a word, of an ensemble the
// mean of its networks', or layers of it.
func (m *Model) Attends() bool { return m.network.Output().Attention != nil || m.Depth() > 0 }

// Members returns how many networks the model is made of, each with its own attention.
func (m *Model) Members() int { return m.network.Members() }

// LearnsWeights reports whether these weights follow from scores that are trained.
func (m *Model) LearnsWeights() bool {
	return m.Pools() && models.PenaltyOf(m.model).LearnsWeights()
}

// Linear reports whether the logits are linear in these weights, while nothing but they
// change.
func (m *Model) Linear() bool {
	n := m.network.Classes().Logits
	for n.Op() == "linear" {
		n = n.Inputs()[0]
	}
	return n.Op() == "weighted sum" && n.Inputs()[0].Same(m.network.Output().Attention)
}

// Depth returns how many layers of self-attention the model has.
func (m *Model) Depth() int { return m.network.Depth() }

// Pool returns the workers that the model's ops run on.
func (m *Model) Pool() *ops.Pool { return m.pool }

// Residual reports whether the layers of self-attention add their input to what they
// have attended to.
func (m *Model) Residual() bool {
	r, ok := m.model.(*models.Self)
	return !ok || r.HasResidual()
}

// Reweigh answers the texts of the batch again with other attention: set gets the
// weights of each word of text i [n], as they are now, and changes them, of several
// texts at a time. From then on
// the batch's answers and Attention are those with these weights; its Entropy stays.
// It is for models that have one weight a word (Pools), and computes only what depends
// on the weights.
func (b *Batch) Reweigh(set func(i int, weights []float32)) error {
	m := b.model
	if m.tail == nil {
		tail, err := m.network.Tail()
		if err != nil {
			return err
		}
		m.tail = tail
	}
	all := m.network.Attention()
	err := m.pool.For(len(b.place), func(i int) {
		set(i, all[b.seen[b.place[i]]+b.front:][:b.words[i]])
	})
	if err != nil {
		return err
	}
	return m.tail.Run()
}

// ValueNorms returns ‖v(xᵢ)‖ of each word of the texts [B][n]: the length of what a
// model that Pools adds up by its weights.
func (b *Batch) ValueNorms() ([][]float32, error) {
	r := &reader{Exact: ops.NewMixed(), out: b.model.network.Output(), classes: b.model.network.Classes()}
	values, err := r.Value(r.sum().Inputs()[1])
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(b.place))
	for i, at := range b.place {
		out[i] = make([]float32, b.words[i])
		for k := range out[i] {
			square := 0.0
			for _, v := range values.Row(b.seen[at] + b.front + k) {
				square += float64(v * v)
			}
			out[i][k] = float32(math.Sqrt(square))
		}
	}
	return out, nil
}

// HeadNorms returns the length of each head's value at each word that a layer of
// self-attention sees of text i [H][Seen(i)], [CLS] and padding among them.
func (b *Batch) HeadNorms(layer, i int) [][]float64 {
	v, lo := b.model.network.LayerValues(layer), b.seen[b.place[i]]
	out := make([][]float64, b.Layers()[layer])
	width := v.Cols / len(out)
	for h := range out {
		out[h] = make([]float64, b.Seen(i))
		for j := range out[h] {
			square := 0.0
			for _, x := range v.Row(lo + j)[h*width:][:width] {
				square += float64(float64(x) * float64(x))
			}
			out[h][j] = math.Sqrt(square)
		}
	}
	return out
}
