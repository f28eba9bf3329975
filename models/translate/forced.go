package models

import (
	"cmp"
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Forced is a translator's graph of teacher forcing, for those who read it: the target
// words of a pair go in, and every row scores what comes next.
type Forced struct {
	Source, Target *ops.Seq
	Scores         *ops.Node // [M, V] log-probabilities

	// The entropies of the heads of each layer, see Decoded.Entropies: of the attention
	// to the source, and of self-attention; none of what the model lacks.
	Layers, Encoder, Decoder []*ops.Node

	g       *ops.Graph
	machine *ops.Machine // nil until it runs
}

// Looks are the weights of a translator's attentions for a source of n words and a
// translation of m+1 rows, of each layer and head; nil where the model lacks them.
type Looks struct {
	Alignment [][]ops.Mat // of the source's words, by the row that looks [m+1, n]
	Encoder   [][]ops.Mat // of the source's words, by the word of the source [n, n]
	Decoder   [][]ops.Mat // of the rows up to the one that looks [m+1, m+1]
}

// NewForced builds that graph from the weights, which it shares. s.Model must be a
// Translator.
func NewForced(s Spec) (*Forced, error) {
	t, ok := s.Model.(Translator)
	if !ok {
		return nil, fmt.Errorf("a model of the type %T does not translate", s.Model)
	}
	if err := s.translates(); err != nil {
		return nil, err
	}
	g := ops.NewGraph(s.Pool, false)
	b := newBuilder(g, &s)
	memory := t.Encode(b)
	y := t.Decode(b, memory, State{Last: memory.Start})
	w, bias := b.vocabulary(t.Shared(), y.Out.Cols())
	f := &Forced{
		Source: g.Words(), Target: g.Targets(), Scores: ops.VocabularyScores(y.Out, w, bias),
		Layers: y.Entropies, Encoder: memory.Self, Decoder: y.Self, g: g,
	}
	if b.err != nil {
		return nil, b.err
	}
	return f, g.Err()
}

// Run computes the graph on a batch of pairs.
func (f *Forced) Run(b *ragged.Batch) (err error) {
	if f.machine == nil {
		if f.machine, err = f.g.Machine(); err != nil {
			return err
		}
	}
	return f.machine.Run(b, 0)
}

// Close frees the graph, which may have run or not.
func (f *Forced) Close() error {
	if f.machine == nil {
		return nil
	}
	return f.machine.Close()
}

// attends returns how many layers of attention there are.
func (f *Forced) attends() int { return len(f.Layers) + len(f.Encoder) + len(f.Decoder) }

// Looks returns the weights of a pair of the last batch.
func (f *Forced) Looks(pair int) (Looks, error) {
	words, rows := lengthOf(f.Source, pair), lengthOf(f.Target, pair)
	to, err1 := weights(f.Layers, pair, rows, words)
	encoder, err2 := weights(f.Encoder, pair, words, words)
	decoder, err3 := weights(f.Decoder, pair, rows, rows)
	return Looks{to, encoder, decoder}, cmp.Or(err1, err2, err3)
}

func lengthOf(s *ops.Seq, pair int) int { return s.Offsets[pair+1] - s.Offsets[pair] }

// weights returns those of a pair in each layer and head: a row for each that looks.
func weights(layers []*ops.Node, pair, rows, cols int) ([][]ops.Mat, error) {
	var out [][]ops.Mat
	for _, entropies := range layers {
		heads := make([]ops.Mat, entropies.Cols())
		for h := range heads {
			heads[h] = ops.Mat{Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
			for i := range rows {
				if err := entropies.Alignment(heads[h].Row(i), pair, h, i); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, heads)
	}
	return out, nil
}
