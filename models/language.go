package models

import (
	"errors"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Reader is a model that learns the language of texts without labels: it guesses their words. A
// classifier with weights of the same names can start from its weights (init).
type Reader interface{ reads() }

// Language is a recurrent language model: from each state it guesses the word that comes next, or, reading
// from the end, the word before, by the words' vectors:
//
//	hᵢ = LSTM(xᵢ, hᵢ₋₁),  qᵢ = P·hᵢ + c,  p(wᵢ₊₁ = w) ∝ Q(w)·exp(qᵢ·(x_w + u_w))
//
// Q(w) is how often the word occurs (see ops.SampledSoftmax). The input and the predicted words share their
// vectors (Press and Wolf 2017), and u has what is learned about frequent words.
type Language struct {
	Cell
	Negatives
	Hidden    int    `key:"lstm.hidden" default:"50" min:"1" max:"4096" help:"width of the state, of each direction"`
	Direction string `key:"direction" default:"forward" choices:"forward|backward|both" help:"guess the next word, the word before by reading from the end, or both by two networks"`
}

// Negatives are the settings of sampled softmax.
type Negatives struct {
	Others  int `key:"others" default:"1000" min:"1" max:"100000" help:"other words that a guess chooses from; the guesses of a batch share them"`
	Learned int `key:"learned.words" default:"20000" min:"1" max:"1000000" help:"the most frequent words, for which a vector is learned that is added to the given one where the word is guessed"`
}

func init() {
	Register(Info{
		Name: "language", Title: "recurrent language model",
		Source: "Bengio et al. 2003; sampled softmax of Jean et al. 2015, section 3",
		New:    func() Model { return &Language{} },
		Watch:  watchReader,
	})
}

// watchReader is what to watch for in the runs of a Reader.
const watchReader = "It learns from texts without labels. Watch the test accuracy, the share of words guessed among others that occur as often, and then what a classifier gains that starts from it: init=RUN."

func (Negatives) reads() {}

func (m *Language) Build(b *Builder, x *ops.Node) Output {
	w := new(Words)
	if m.Direction != "backward" {
		h, _ := m.Cell.layer(b, x, m.Hidden, false)
		m.Negatives.guess(b, w, "next", h, x, ops.Sampling{Which: ops.NextWord})
	}
	if m.Direction != "forward" {
		h, _ := m.Cell.layer(b, x, m.Hidden, true)
		m.Negatives.guess(b, w, "before", h, x, ops.Sampling{Which: ops.WordBefore})
	}
	return Output{Objective: w}
}

// guess predicts words of x [N, d] from the rows h [N, h], by queries with the weights NAME.W and NAME.b. Row 0
// of the table is the unknown word, which is never a target.
func (o Negatives) guess(b *Builder, w *Words, name string, h, x *ops.Node, which ops.Sampling) {
	which.Others, which.Unknown = o.Others, 0
	w.query = b.Linear(name, h, x.Cols()).Call("q")
	w.guesses = append(w.guesses, ops.SampledSoftmax(w.query, x, b.Constant("words", o.Learned, x.Cols(), 0), which))
}

// Words is the objective of a Reader: the words of the texts.
type Words struct {
	guesses []ops.Sampled
	query   *ops.Node
}

func (w *Words) Cost(*Network, *Spec) (terms []ops.Term) {
	for _, g := range w.guesses {
		terms = append(terms, ops.Term{Node: g.Mean, Weight: 1 / float32(len(w.guesses))})
	}
	return terms
}

// sum adds up a result [B] of all guesses.
func (w *Words) sum(of func(ops.Sampled) *ops.Node) []float32 {
	var out []float32
	for _, g := range w.guesses {
		for b, v := range of(g).Mat().Data {
			if b == len(out) {
				out = append(out, 0)
			}
			out[b] += v
		}
	}
	return out
}

func (w *Words) Losses(*ragged.Batch) []float32 {
	return w.sum(func(g ops.Sampled) *ops.Node { return g.Each })
}

// Made returns how many words the last batch guessed in each text [B], and how many of them right.
func (w *Words) Made() (made, right []float32) {
	return w.sum(func(g ops.Sampled) *ops.Node { return g.Made }), w.sum(func(g ops.Sampled) *ops.Node { return g.Hits })
}

// Predictions is 0 for a batch of texts of one word.
func (w *Words) Predictions(*ragged.Batch) int {
	made, _ := w.Made()
	return total(made)
}

func (w *Words) Right(*ragged.Batch) int {
	_, right := w.Made()
	return total(right)
}

func total(list []float32) (sum int) {
	for _, v := range list {
		sum += int(v)
	}
	return sum
}

func (w *Words) Result() (*ops.Node, string) { return w.query, "softmax of q·x over words: the guess" }

// Masked hides words of a text, which the model guesses from all others (Devlin et al. 2019, BERT, section 3.1):
//
//	x' = Mask(x, [MASK]),  hᵢ = the encoder's words for x',  qᵢ = P·hᵢ + c,  p(wᵢ = w) ∝ Q(w)·exp(qᵢ·(x_w + u_w))
type Masked struct {
	Negatives
	Share float64 `key:"masked" default:"0.15" above:"0" max:"0.9" help:"share of the words that are guessed: 80 % of them are replaced by a learned vector, 10 % by another word"`
}

// MaskedSelf learns layers of self-attention from texts without labels.
type MaskedSelf struct {
	Masked
	Self
}

// MaskedTransformer learns the encoder of the Transformer from texts without labels.
type MaskedTransformer struct {
	Masked
	Transformer
}

func init() {
	const source = "Devlin et al. 2019, section 3.1"
	Register(Info{Name: "masked-self", Title: "self-attention that guesses hidden words", Source: source, New: func() Model { return &MaskedSelf{} }, Watch: watchReader})
	Register(Info{Name: "masked-transformer", Title: "Transformer's encoder that guesses hidden words", Source: source, New: func() Model { return &MaskedTransformer{} }, Watch: watchReader})
}

func (m *Masked) guessHidden(b *Builder, x *ops.Node, encode func(x *ops.Node, out *Output) *ops.Node) Output {
	w := new(Words)
	out := Output{Objective: w}
	h := encode(ops.Mask(x, b.Constant("mask", 1, x.Cols(), 0), float32(m.Share)), &out)
	out.Words = h
	m.Negatives.guess(b, w, "hidden", h, x, ops.Sampling{Which: ops.MaskedWord, Masked: float32(m.Share)})
	return out
}

func (m *MaskedSelf) Check() error {
	if m.Pad {
		return errors.New("slip.pad is a slip of published classifiers: omit it")
	}
	return m.Self.Check()
}

func (m *MaskedSelf) Build(b *Builder, x *ops.Node) Output {
	return m.guessHidden(b, x, func(x *ops.Node, out *Output) *ops.Node { return m.encode(b, x, out) })
}

func (m *MaskedTransformer) Build(b *Builder, x *ops.Node) Output {
	return m.guessHidden(b, x, func(x *ops.Node, out *Output) *ops.Node { return m.encode(b, m.words(b, x), out) })
}
