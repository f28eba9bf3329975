package models

import (
	"errors"
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Translator is a model that writes a sentence word by word from one that it has
// read. Its two halves stand in one graph for training, where the decoder reads
// the words of the true translation (teacher forcing, Williams and Zipser 1989),
// and in graphs of their own for decoding.
//
// B pairs have N source words and M target rows in all; a row reads one word, the
// first of a pair begin-of-sentence, and writes the next one.
type Translator interface {
	Model
	Encode(b *Builder) Memory
	Decode(b *Builder, m Memory, s State) Decoded
	Shared() *Seq2Seq
}

// Memory is what the decoder gets of the source.
type Memory struct {
	Words []*ops.Node // states, or keys and values, of each source word [N, ·]
	Start []*ops.Node // the states it starts from [B, ·]
	Self  []*ops.Node // of the heads of the encoder's self-attention, one a layer [B, H]: see Decoded.Entropies
}

// State is what the decoder knows of the rows before the first of a batch.
type State struct {
	Last []*ops.Node // recurrent states [B, ·], at the sentence's beginning those of Memory.Start
	Past []*ops.Node // keys and values of the earlier rows, on the axis of the past; nil at the beginning
}

// Decoded is what the decoder makes of M rows.
type Decoded struct {
	Out       *ops.Node   // what the next words are scored from [M, ·]
	Last      []*ops.Node // the next State.Last
	Past      []*ops.Node // the next State.Past: the earlier rows and these
	Entropies []*ops.Node // of the heads of attention to the source, one a layer [B, H]: nats, the mean over the pair's rows
	Self      []*ops.Node // of those of its self-attention
}

// Seq2Seq are the settings that all translators have.
type Seq2Seq struct {
	Dropout   float64 `key:"dropout" min:"0" max:"0.95" help:"share dropped of the words' embeddings and of what layers hand on"`
	Smoothing float64 `key:"label_smoothing" min:"0" max:"0.9" help:"share of the target that goes to all words alike, in training"`
	Tied      bool    `key:"tied" help:"one matrix for the target's embeddings and the scores of words (Press and Wolf 2017)"`
	Beam      int     `key:"beam" default:"4" min:"1" max:"64" help:"translations that beam search goes on with"`
	Alpha     float64 `key:"beam.alpha" default:"1" min:"0" max:"4" needs:"beam!=1" help:"their score is log p divided by length^alpha: 0 for log p alone"`
}

// Shared implements Translator.
func (m *Seq2Seq) Shared() *Seq2Seq { return m }

// Embedding is the width of words where it differs from that of the states.
type Embedding struct {
	Width int `key:"embedding" default:"64" min:"1" max:"4096" help:"width of the words' embeddings, of both languages"`
}

// translates checks what a translator needs of its settings.
func (s *Spec) translates() error {
	switch {
	case s.TrainRows:
		return errors.New("a translator has embeddings of its own: there are no word vectors to train")
	case s.Source < 1 || s.Target <= int(ragged.EndID):
		return fmt.Errorf("vocabularies of %d and %d words are too small to translate", s.Source, s.Target)
	}
	return nil
}

// translate is Build of every translator.
func (b *Builder) translate(t Translator) Output {
	memory := t.Encode(b)
	y := t.Decode(b, memory, State{Last: memory.Start})
	out := Output{Layers: y.Entropies, Encoder: memory.Self, Decoder: y.Self}
	if len(y.Entropies) > 0 {
		out.Words = memory.Words[0]
	}
	w, bias := b.vocabulary(t.Shared(), y.Out.Cols())
	out.Rows = ops.VocabularyLoss(y.Out, w, bias, t.Shared().Smoothing)
	return out
}

// source returns the embeddings of the source's words [N, width], uniform in ±bound
// at first.
func (b *Builder) source(width int, bound float32) *ops.Node {
	return ops.Embed(b.embeddings("source", b.spec.Source, width, bound), b.g.Words())
}

// target returns the embeddings of the words that the decoder reads [M, width]. Those
// that score words as well begin as other scores do.
func (b *Builder) target(m *Seq2Seq, width int, bound float32) *ops.Node {
	if m.Tied {
		bound = rsqrt(width)
	}
	return ops.Embed(b.embeddings("target", b.spec.Target, width, bound), b.g.Targets())
}

// wide is the bound of embeddings that a recurrent layer reads as they are. Narrow
// ones, as other weights begin, take epochs to grow, and what is learned meanwhile
// holds less well for new sentences.
const wide = 1

// embeddings is a matrix with one row for each word [V, width].
func (b *Builder) embeddings(name string, words, width int, bound float32) *ops.Node {
	name += ".E"
	if n := b.nodes[name]; n != nil {
		return n
	}
	w, err := b.weights.made(&b.weights.list, name, words, width, b.weights.uniform(name, bound))
	return b.node(w, err)
}

// vocabulary returns what scores the words from vectors of that width: W [V, width]
// and the bias [1, V].
func (b *Builder) vocabulary(m *Seq2Seq, width int) (w, bias *ops.Node) {
	words := b.spec.Target
	if m.Tied {
		w = b.embeddings("target", words, width, rsqrt(width))
	} else {
		w = b.Weight("out.W", words, width, width)
	}
	return w, b.Weight("out.b", 1, words, width)
}

// checkTied refuses one matrix for two widths.
func (m *Seq2Seq) checkTied(hidden, embedding int) error {
	if m.Tied && hidden != embedding {
		return fmt.Errorf("tied=true scores words from the states: it needs hidden=%d as wide as embedding=%d", hidden, embedding)
	}
	return nil
}

// drop is dropout by the setting that translators share.
func (m *Seq2Seq) drop(x *ops.Node, name string) *ops.Node {
	return ops.Dropout(x, name, float32(m.Dropout))
}
