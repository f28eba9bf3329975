package models

import (
	"errors"
	"fmt"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Network is a model in a graph, ready to run on batches: for training with
// gradients, or forward only.
type Network struct {
	g            *ops.Graph
	machine      *ops.Machine
	words, means *ops.Node // leaves, even if the model does not read them; means is nil if they would change in training
	scores       *ops.Node // of a Counting model, nil for others
	base         base
	batch        *ragged.Batch
	out          Output
	cost         *ops.Node
	grads        []func() ops.Mat // one a weight, in the order of Weights.List
	rowGrad      func() ops.Mat
}

// VectorsWeight is the name of the word vectors among the weights of a run that trains them
// (vectors.train=true).
const VectorsWeight = "vectors"

// Spec is what a network is built from.
type Spec struct {
	Model     Model
	Weights   *Weights // missing ones are created
	Pool      *ops.Pool
	In        int  // width d of the word vectors, or the number of source words to translate
	Out       int  // classes C, or target words
	Training  bool // with gradients and dropout
	Margins   bool // with Training: gradients of the sum of the labels' margins (ops.Margin) for the word vectors alone; ops as in evaluation
	Constant  bool // with Margins: attention is a constant, through which no gradient flows
	TrainRows bool // the word vectors are trained: they have gradients, and their means change
	Thinned   bool // with Training: words of reviews are dropped, so their means change
	Seed      uint64

	ClassWeights []float32 // with Training: of the losses of each class's reviews [C]; nil for ones
}

// Inputs are the tables that batches read.
type Inputs struct {
	Table []float32 // [rows, d] word vectors
	Means []float32 // [reviews of the split, d]; only read where NeedsMeans
	Base  *Base     // the attention of another run; only read where NeedsBase

	Scores []float32 // [reviews of the split, C] of a Counting model

	Overlap func() // runs while the batch's vectors are gathered, so must not use them; may be nil
}

// NewNetwork builds and compiles the graph of a model.
func NewNetwork(s Spec) (*Network, error) {
	g := ops.NewGraph(s.Pool, s.Training)
	g.Seed(s.Seed)
	if s.Margins {
		g.Freeze()
		g.FixWeights()
	}
	n := &Network{g: g}
	b := NewBuilder(g, &s)
	n.words = g.Leaf("words", g.Words(), s.In, s.TrainRows && s.Training)
	if !s.TrainRows && !(s.Training && s.Thinned) {
		n.means = g.Leaf("means", g.Words().Reviews(), s.In, false).Form(func() *ops.Node { return ops.Mean(n.words) })
	}
	b.words, b.means = n.words, n.means
	n.out = s.Model.Build(b, n.words)
	n.scores = b.scores
	n.base.weights = b.imposed
	if err := b.Err(); err != nil {
		return nil, err
	}
	if n.out.Objective == nil {
		return nil, fmt.Errorf("Build of %T returns no predictions (Output.Objective)", s.Model)
	}
	cost := n.out.Objective.Cost(n, &s)
	if !s.Margins {
		cost = append(cost, n.out.Penalties...)
	}
	n.cost = ops.Total(cost...)
	if err := g.Err(); err != nil {
		return nil, err
	}
	if s.Training {
		if err := n.differentiate(b, s); err != nil {
			return nil, err
		}
	}
	var err error
	n.machine, err = g.Machine()
	return n, err
}

func (n *Network) differentiate(b *Builder, s Spec) error {
	var leaves []*ops.Node
	for _, w := range s.Weights.List() {
		if s.Margins {
			break
		}
		leaf := b.nodes[w.Name]
		if leaf == nil {
			return fmt.Errorf("weight %s is not part of the model", w.Name)
		}
		leaves = append(leaves, leaf)
	}
	if s.TrainRows {
		leaves = append(leaves, n.words)
	}
	grads, err := n.g.Grad(n.cost, leaves...)
	if err != nil {
		return err
	}
	n.grads = grads
	if s.TrainRows {
		last := len(grads) - 1
		n.grads, n.rowGrad = grads[:last], grads[last]
	}
	return nil
}

// NeedsMeans reports whether the model reads the precomputed means.
func (n *Network) NeedsMeans() bool { return n.means != nil && n.means.Used() }

// Run computes the network on a batch; step is the number of the batch in training.
func (n *Network) Run(b *ragged.Batch, in Inputs, step uint64) error {
	if n.NeedsMeans() {
		if err := n.means.Gather(in.Means, b.Reviews); err != nil {
			return err
		}
	}
	if n.scores != nil {
		if err := n.scores.Gather(in.Scores, b.Reviews); err != nil {
			return err
		}
	}
	n.batch = b
	if err := n.base.set(b, in.Base); err != nil {
		return err
	}
	if n.words.Used() {
		if err := n.words.Lookup(in.Table, b.IDs, in.Overlap); err != nil {
			return err
		}
	}
	return n.machine.Run(b, step)
}

func (n *Network) Close() error { return n.machine.Close() }

// Output returns the result of the model's Build.
func (n *Network) Output() Output { return n.out }

// Words returns the leaf of the words' vectors.
func (n *Network) Words() *ops.Node { return n.words }

// Cost returns the value that training minimises: the mean loss of the batch and its penalties;
// of an ensemble the mean over its networks.
func (n *Network) Cost() float32 { return n.cost.Mat().Data[0] / float32(n.Members()) }

// Losses returns the loss of each review or pair of the last batch [B], in nats.
func (n *Network) Losses() []float32 { return n.out.Objective.Losses(n.batch) }

// Predictions returns how many predictions the mean loss of the last batch is over.
func (n *Network) Predictions() int { return n.out.Objective.Predictions(n.batch) }

// Right returns how many of those predictions are right.
func (n *Network) Right() int { return n.out.Objective.Right(n.batch) }

// Entropies returns the entropy of each review's attention [B] in nats: of attention with one
// weight for each word, or else the mean over layers and heads. It is nil for a model without
// attention.
func (n *Network) Entropies() []float32 {
	switch {
	case n.out.Entropy != nil:
		return n.out.Entropy.Mat().Data
	case n.out.Layers != nil:
		return meanOfHeads(n.Heads())
	}
	return nil
}

// Attention returns the attention of each word [N], or nil.
func (n *Network) Attention() []float32 {
	if n.out.Attention == nil {
		return nil
	}
	return n.out.Attention.Mat().Data
}

// Gradient returns the gradient of weight i after a run.
func (n *Network) Gradient(i int) []float32 { return n.grads[i]().Data }

// RowGradients returns the gradient of each word's vector [N, d] after a run.
func (n *Network) RowGradients() ops.Mat { return n.rowGrad() }

// Means sets dst to the mean vectors of n reviews [n, d], for Inputs.Means. words returns the rows
// of the table [R, d] of the words of review i.
func Means(pool *ops.Pool, dst, table []float32, d, n int, words func(i int) []int32) error {
	const block = 64
	return pool.For((n+block-1)/block, func(k int) {
		var rows []float32
		for i := k * block; i < min((k+1)*block, n); i++ {
			ids := words(i)
			rows = slices.Grow(rows[:0], len(ids)*d)
			for _, id := range ids {
				rows = append(rows, table[int(id)*d:][:d]...)
			}
			ops.MeanRow(dst[i*d:][:d], rows)
		}
	})
}

// Heads returns, for each layer of attention by heads, the entropies of its heads [B, H] in
// nats. It is nil for a model without.
func (n *Network) Heads() []ops.Mat {
	var out []ops.Mat
	for _, l := range n.out.Layers {
		out = append(out, l.Mat())
	}
	return out
}

// LayerHeads returns the number of heads of each layer of Heads, before the first run too; nil for a
// model without.
func (n *Network) LayerHeads() []int {
	var out []int
	for _, l := range n.out.Layers {
		out = append(out, l.Cols())
	}
	return out
}

// HeadWords returns the offsets of the words that the heads attend to [B+1]: the reviews' own,
// or with [CLS] and padding.
func (n *Network) HeadWords() []int { return n.out.Words.Axis().(*ops.Seq).Offsets }

// AttentionRow sets dst to the weights of word i of a review of the batch for the review's
// words, in one head of one layer. All count from 0; with [CLS] and padding, as HeadWords.
func (n *Network) AttentionRow(dst []float32, layer, head, review, i int) error {
	return n.out.Layers[layer].Alignment(dst, review, head, i)
}

// AttentionReceived sets dst[h·N+j] to the attention that word j of the batch receives in head h
// of a layer from the first queries(b) words of its review b. N counts the words of HeadWords.
func (n *Network) AttentionReceived(dst []float32, layer int, queries func(review int) int) error {
	return n.out.Layers[layer].AttentionReceived(dst, queries)
}

// LayerValues returns the values of the heads of a layer of self-attention, next to each other
// [N, H·v]; N counts the words of HeadWords.
func (n *Network) LayerValues(layer int) ops.Mat { return n.out.Layers[layer].Inputs()[2].Mat() }

// Tail returns the part of the network between the attention with one weight for each word and
// the class probabilities: it is computed again when the weights change. It is an error for a
// model without such attention.
func (n *Network) Tail() (*ops.Tail, error) {
	if !n.Pools() {
		return nil, errors.New("the model has no attention with one weight for each word")
	}
	return n.out.Attention.Tail(n.Classes().loss.Probs)
}

// Pools reports whether the model has attention with one weight for each word. An ensemble does
// not: each of its networks has its own, and Attention is their mean.
func (n *Network) Pools() bool { return n.out.Attention != nil && n.Members() == 1 }

// HeadSimilarity returns how similar the heads' weights were in the last run: Σ cos² over all
// layers.
func (n *Network) HeadSimilarity() (sum float64) {
	for _, l := range n.out.HeadSimilarity {
		sum += float64(l.Mat().Data[0])
	}
	return sum
}

// meanOfHeads returns the mean entropy over all layers and heads of each review.
func meanOfHeads(layers []ops.Mat) []float32 {
	out, n := make([]float32, layers[0].Rows), 0
	for _, l := range layers {
		n += l.Cols
	}
	for b := range out {
		var sum float64
		for _, l := range layers {
			for _, h := range l.Row(b) {
				sum += float64(h)
			}
		}
		out[b] = float32(sum / float64(n))
	}
	return out
}

// Base is the attention and the predictions of another run for the reviews of a split.
type Base struct {
	Weights func(review int32) []float32 // of the attention, one a word
	P       []float32                    // [reviews, C] probabilities; only for an adversary
}

// base are the leaves of a network that hold a Base.
type base struct {
	weights *ops.Node // [N, 1]; nil where no op reads them
	answers *ops.Node // [B, C]
	buf     []float32
}

// NeedsBase reports whether Run needs Inputs.Base.
func (n *Network) NeedsBase() bool { return n.base.weights != nil }

// against returns the cost of an adversary.
func (n *base) against(g *ops.Graph, c *Classes, attention *ops.Node) []ops.Term {
	n.weights = g.Leaf("attention of the base", g.Words(), 1, false)
	n.answers = g.Leaf("answers of the base", g.Words().Reviews(), c.Logits.Cols(), false)
	return []ops.Term{
		{Node: ops.TVD(c.Logits, n.answers), Weight: 1},
		{Node: ops.KL(attention, n.weights), Weight: float32(-c.Adversary.Lambda)},
	}
}

// set fills the leaves for a batch.
func (n *base) set(b *ragged.Batch, from *Base) error {
	if n.weights == nil {
		return nil
	}
	if from == nil {
		return errors.New("the attention weights come from another run, which has none for these texts")
	}
	n.buf = n.buf[:0]
	for i, review := range b.Reviews {
		w := from.Weights(review)
		if len(w) != b.Offsets[i+1]-b.Offsets[i] {
			return errors.New("the base run and this run have different words for a review")
		}
		n.buf = append(n.buf, w...)
	}
	n.weights.Set(ops.Mat{Rows: len(n.buf), Cols: 1, Data: n.buf})
	if n.answers == nil {
		return nil
	}
	return n.answers.Gather(from.P, b.Reviews)
}

// AttentionGradient returns the gradient of each word's weight [N] after a run of a network with
// gradients of the word vectors; nil where the weights do not depend on the vectors.
func (n *Network) AttentionGradient() []float32 {
	if !n.Pools() {
		return nil
	}
	m, _ := n.out.Attention.Gradient()
	return m.Data
}
