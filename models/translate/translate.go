// Package translate holds the models that translate sentences, one a file, the graphs that
// train and run them, and beam search. Importing it registers the models.
package translate

import (
	"errors"
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// Translator is a model with an encoder, which reads a source sentence, and a decoder, which
// writes its translation word by word. In training both are in one graph, and the decoder reads
// the words of the true translation (teacher forcing, Williams and Zipser 1989). For decoding
// each has its own graph.
//
// B pairs have N source words and M target rows in all. A row reads one word, the first of a
// pair begin-of-sentence, and predicts the next one.
type Translator interface {
	models.Model
	Encode(b *models.Builder) Memory
	Decode(b *models.Builder, m Memory, s State) Decoded
	Shared() *Settings
}

// Memory is what the decoder reads of the source.
type Memory struct {
	Words []*ops.Node // states, or keys and values, of each source word [N, ·]
	Start []*ops.Node // the decoder's first states [B, ·]
}

// State is what the decoder remembers of the rows before the first of a batch.
type State struct {
	Last []*ops.Node // recurrent states [B, ·]; at the beginning of a sentence Memory.Start
	Past []*ops.Node // keys and values of the earlier rows, on the axis of the past; nil at the beginning
}

// Decoded is the decoder's result for M rows.
type Decoded struct {
	Out       *ops.Node   // the vectors that the next words are scored from [M, ·]
	Last      []*ops.Node // the next State.Last
	Past      []*ops.Node // the next State.Past: the earlier rows and these
	Entropies []*ops.Node // of the heads of attention to the source, one a layer [B, H]: nats, the mean over the pair's rows
}

// Settings are the settings that all translators have.
type Settings struct {
	Dropout   float64 `key:"dropout" min:"0" max:"0.95" help:"share of the embeddings, and of the output of each layer, that is dropped"`
	Smoothing float64 `key:"label_smoothing" min:"0" max:"0.9" help:"share of the target that goes to all words alike, in training"`
	Tied      bool    `key:"tied" help:"one matrix for the target's embeddings and the scores of words (Press and Wolf 2017)"`
	Beam      int     `key:"beam" default:"4" min:"1" max:"64" help:"hypotheses that beam search keeps"`
	Alpha     float64 `key:"beam.alpha" default:"1" min:"0" max:"4" needs:"beam!=1" help:"their score is log p divided by length^alpha: 0 for log p alone"`
}

func (m *Settings) Shared() *Settings { return m }

// Embedding is the width of the embeddings, for models where the states have another.
type Embedding struct {
	Width int `key:"embedding" default:"64" min:"1" max:"4096" help:"width of the words' embeddings, of both languages"`
}

// check returns an error where a translator cannot be built from s.
func check(s *models.Spec) error {
	switch {
	case s.TrainRows:
		return errors.New("a model that translates has its own embeddings: there are no word vectors to train")
	case s.In < 1 || s.Out <= int(ragged.EndID):
		return fmt.Errorf("vocabularies of %d and %d words are too small to translate", s.In, s.Out)
	}
	return nil
}

// forced builds the graph of teacher forcing.
func forced(b *models.Builder, t Translator) (memory Memory, y Decoded, w, bias *ops.Node) {
	memory = t.Encode(b)
	y = t.Decode(b, memory, State{Last: memory.Start})
	w, bias = vocabulary(b, t.Shared(), y.Out.Cols())
	return memory, y, w, bias
}

// build is Build of every translator.
func build(b *models.Builder, t Translator) models.Output {
	if err := check(b.Spec()); err != nil {
		b.Fail("%w", err)
		return models.Output{}
	}
	memory, y, w, bias := forced(b, t)
	result := &words{VocabularyResult: ops.VocabularyLoss(y.Out, w, bias, t.Shared().Smoothing)}
	out := models.Output{Objective: result, Layers: y.Entropies}
	if len(y.Entropies) > 0 {
		out.Words = memory.Words[0]
	}
	return out
}

// words is the objective of translators: the next word of each target row.
type words struct {
	ops.VocabularyResult
	losses []float32 // [B]
}

func (o *words) Cost(*models.Network, *models.Spec) []ops.Term {
	return []ops.Term{{Node: o.Mean, Weight: 1}}
}

// Losses implements models.Objective: the sum of −log p over each pair's rows.
func (o *words) Losses(b *ragged.Batch) []float32 {
	o.losses = o.losses[:0]
	each := o.Each.Mat().Data
	for i := range b.Len() {
		var sum float64
		for _, l := range each[b.TargetOffsets[i]:b.TargetOffsets[i+1]] {
			sum += float64(l)
		}
		o.losses = append(o.losses, float32(sum))
	}
	return o.losses
}

// Predictions implements models.Objective: the target rows that have a label.
func (o *words) Predictions(b *ragged.Batch) int {
	labelled := 0
	for _, y := range b.TargetOut {
		if y >= 0 {
			labelled++
		}
	}
	return labelled
}

func (o *words) Right(b *ragged.Batch) int {
	right := 0
	predicted := o.Predicted.Mat().Data
	for i, y := range b.TargetOut {
		if y >= 0 && predicted[i] == float32(y) {
			right++
		}
	}
	return right
}

func (o *words) Result() (*ops.Node, string) { return o.Mean, "softmax of zₜ: the word yₜ" }

// source returns the embeddings of the source's words [N, width], uniform in ±bound at first.
func source(b *models.Builder, width int, bound float32) *ops.Node {
	return ops.Embed(b.Embeddings("source.E", b.Spec().In, width, bound), b.Graph().Words())
}

// target returns the embeddings of the words that the decoder reads [M, width]. If they score
// words, too, they start as other scores do.
func (m *Settings) target(b *models.Builder, width int, bound float32) *ops.Node {
	if m.Tied {
		bound = models.Rsqrt(width)
	}
	return ops.Embed(b.Embeddings("target.E", b.Spec().Out, width, bound), b.Graph().Targets())
}

// recurrentBound is the bound of embeddings that a recurrent layer reads directly. Smaller ones,
// as other weights have, take epochs to grow, and the model then generalises worse.
const recurrentBound = 1

// vocabulary returns the weights that score the words from vectors of that width: W [V, width]
// and the bias [1, V].
func vocabulary(b *models.Builder, m *Settings, width int) (w, bias *ops.Node) {
	words := b.Spec().Out
	if m.Tied {
		w = b.Embeddings("target.E", words, width, models.Rsqrt(width))
	} else {
		w = b.Weight("out.W", words, width, width)
	}
	return w, b.Weight("out.b", 1, words, width)
}

// drop is dropout by the setting that translators share.
func (m *Settings) drop(x *ops.Node, name string) *ops.Node {
	return ops.Dropout(x, name, float32(m.Dropout))
}

// Stack is several layers of a recurrent cell.
type Stack struct {
	Hidden int `key:"hidden" default:"128" min:"1" max:"4096" help:"width of the states"`
	Layers int `key:"layers" default:"1" min:"1" max:"16" help:"recurrent layers of the encoder, and as many of the decoder"`
}

// read runs the layers over x from the given states, or from 0 for nil, with some of their inputs
// dropped. It returns the states of the uppermost layer [·, h] and the last states of all [B, h]: of
// each GRU one, of each LSTM h and c.
func (s *Stack) read(b *models.Builder, m *Settings, name, cell string, x *ops.Node, start []*ops.Node, reverse bool) (states *ops.Node, last []*ops.Node) {
	h := s.Hidden
	for l := range s.Layers {
		layer := fmt.Sprintf("%s%d", name, l+1)
		x = m.drop(x, layer)
		var hn, cn *ops.Node
		switch {
		case cell == "gru" && start == nil:
			x, hn = b.GRU(layer, x, h, reverse)
		case cell == "gru":
			wx, wh, bx, bh := b.GRUWeights(layer, x.Cols(), h)
			x, hn = ops.GRUFrom(x, wx, wh, bx, bh, start[l])
		case start == nil:
			wx, wh, bias := b.LSTMWeights(layer, x.Cols(), h)
			x, hn, cn = ops.LSTMLast(x, wx, wh, bias, reverse)
		default:
			wx, wh, bias := b.LSTMWeights(layer, x.Cols(), h)
			x, hn, cn = ops.LSTMFrom(x, wx, wh, bias, start[2*l], start[2*l+1])
		}
		if last = append(last, hn); cn != nil {
			last = append(last, cn)
		}
	}
	return x, last
}
