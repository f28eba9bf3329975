package infer

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Gradients computes the gradients of a model's margins with respect to word vectors.
type Gradients struct {
	model   *Model
	network *models.Network
}

// Gradients builds a network with gradients that shares the model's weights and computes the same,
// without dropout and with the running statistics of batch norm. If constant is true, no gradient
// flows through the attention of a model that Pools. Close it before the model.
func (m *Model) Gradients(constant bool) (*Gradients, error) {
	n, err := models.NewNetwork(models.Spec{
		Model: m.model, Weights: m.weights, Pool: m.pool, In: m.table.Dim, Out: len(m.Classes),
		Training: true, Margins: true, Constant: constant, TrainRows: true, Seed: m.settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	return &Gradients{m, n}, nil
}

// Close frees the network's graph.
func (g *Gradients) Close() error { return g.network.Close() }

// Derived is the gradient of a class's margin (see ops.Margin; for two classes the difference of
// their logits) with respect to the words of one text. Its rows are valid until the next run.
type Derived struct {
	Margin float32 // of the class
	X, D   func(word int) []float32

	// Weights are the derivatives with respect to the attention weights, one for each word, all
	// else constant; nil for a model that does not Pool, or whose weights are not learned.
	Weights []float32
}

// Run computes for each text i the gradient of the margin of class(i) by the vectors of its words.
// It calls f once for each text, for several concurrently. Like Model.Run it overwrites the numbers
// of every earlier Batch of the model.
func (g *Gradients) Run(list []Encoded, class func(i int) int, f func(i int, d Derived)) error {
	m, place := g.model, make([]int, len(list))
	if err := m.check(list); err != nil {
		return err
	}
	m.pack(list, place)
	for i, at := range place {
		m.batch.Labels[at] = int32(class(i))
	}
	table := m.vectors()
	scores, err := m.score(list)
	if err != nil {
		return err
	}
	if err := g.network.Run(&m.batch, models.Inputs{Table: table, Scores: scores}, 0); err != nil {
		return err
	}
	margins, x := g.network.Margins(), ops.Mat{Rows: m.batch.Words(), Cols: m.table.Dim, Data: table, IDs: m.batch.IDs}
	grads, byWeight := g.network.RowGradients(), g.network.AttentionGradient()
	return m.pool.For(len(list), func(i int) {
		at := place[i]
		lo, hi := m.batch.Offsets[at], m.batch.Offsets[at+1]
		var weights []float32
		if byWeight != nil {
			weights = byWeight[lo:hi]
		}
		f(i, Derived{
			Weights: weights,
			Margin:  margins[at],
			X:       func(word int) []float32 { return x.Row(lo + word) },
			D:       func(word int) []float32 { return grads.Row(lo + word) },
		})
	})
}

// Pools reports whether the model has attention with one weight for each word, which sums the
// words' values.
func (m *Model) Pools() bool { return m.network.Pools() }

// Attends reports whether the model has attention: with one weight for each word, in an ensemble the
// mean over its networks, or in layers.
func (m *Model) Attends() bool { return m.network.Output().Attention != nil || m.Depth() > 0 }

// Members returns the number of networks in an ensemble, each with its own attention; else 1.
func (m *Model) Members() int { return m.network.Members() }

// LearnsWeights reports whether these weights come from trained scores.
func (m *Model) LearnsWeights() bool {
	return m.Pools() && models.PenaltyOf(m.model).LearnsWeights()
}

// Linear reports whether the logits are linear in these weights, with everything else constant.
func (m *Model) Linear() bool {
	n := m.network.Classes().Logits
	for n.Op() == "linear" {
		n = n.Inputs()[0]
	}
	return n.Op() == "weighted sum" && n.Inputs()[0].Same(m.network.Output().Attention)
}

// Depth returns the number of layers of self-attention.
func (m *Model) Depth() int { return len(m.Layers()) }

// Pool returns the workers that the model's ops run on.
func (m *Model) Pool() *ops.Pool { return m.pool }

// Residual reports whether the layers of self-attention add their input to their result.
func (m *Model) Residual() bool {
	r, ok := m.model.(*models.Self)
	return !ok || r.HasResidual()
}

// Reweigh computes the predictions of the batch again with different attention weights: set changes
// the weights of the words of text i [n], and is called for several texts concurrently. After that
// the batch's predictions and Attention belong to the new weights; its Entropy does not change.
// It is for models that Pools, and computes only the part of the network that depends on the
// weights.
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

// ValueNorms returns ‖v(xᵢ)‖ for each word of the texts [B][n]: the length of the values that the
// weights of a model that Pools sum.
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
			out[i][k] = float32(norm(values.Row(b.seen[at] + b.front + k)))
		}
	}
	return out, nil
}

// HeadNorms returns the length of each head's value at each word of text i in a layer of
// self-attention [H][Seen(i)], with [CLS] and padding.
func (b *Batch) HeadNorms(layer, i int) [][]float64 {
	v, lo := b.model.network.LayerValues(layer), b.seen[b.place[i]]
	out := make([][]float64, b.Layers()[layer])
	width := v.Cols / len(out)
	for h := range out {
		out[h] = make([]float64, b.Seen(i))
		for j := range out[h] {
			out[h][j] = norm(v.Row(lo + j)[h*width:][:width])
		}
	}
	return out
}

func norm[T float32 | float64](x []T) float64 {
	square := 0.0
	for _, v := range x {
		square += float64(float64(v) * float64(v))
	}
	return math.Sqrt(square)
}
