package translate

import (
	"cmp"
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// Forced is a translator's graph of teacher forcing: it reads the target words of a pair, and
// every row scores the next word.
type Forced struct {
	Source, Target *ops.Seq
	Scores         *ops.Node // [M, V] log-probabilities

	// The entropies of the heads of each layer, see Decoded.Entropies: of the attention
	// to the source, and of self-attention; none where the model has no such layers.
	Layers, Encoder, Decoder []*ops.Node

	b       *models.Builder
	machine *ops.Machine // nil before the first run
}

// Attentions are the weights of a translator's attention for a source of n words and a
// translation of m+1 rows, by layer and head; nil where the model has none.
type Attentions struct {
	Alignment [][]ops.Mat // of each row to the source's words [m+1, n]
	Encoder   [][]ops.Mat // of each source word to the source's words [n, n]
	Decoder   [][]ops.Mat // of each row to the rows up to it [m+1, m+1]
}

// NewForced builds the graph from the weights, which it shares. s.Model must be a Translator.
func NewForced(s models.Spec) (*Forced, error) {
	t, err := translator(&s)
	if err != nil {
		return nil, err
	}
	g := ops.NewGraph(s.Pool, false)
	b := models.NewBuilder(g, &s)
	memory, y, w, bias := forced(b, t)
	f := &Forced{
		Source: g.Words(), Target: g.Targets(), Scores: ops.VocabularyScores(y.Out, w, bias),
		Layers: y.Entropies, Encoder: memory.Self, Decoder: y.Self, b: b,
	}
	return f, b.Err()
}

// translator returns the model of s, checked.
func translator(s *models.Spec) (Translator, error) {
	t, ok := s.Model.(Translator)
	if !ok {
		return nil, fmt.Errorf("a model of the type %T does not translate", s.Model)
	}
	return t, check(s)
}

// Run computes the graph on a batch of pairs.
func (f *Forced) Run(b *ragged.Batch) (err error) {
	if f.machine == nil {
		if f.machine, err = f.b.Machine(); err != nil {
			return err
		}
	}
	return f.machine.Run(b, 0)
}

// Close frees the graph.
func (f *Forced) Close() error {
	if f.machine == nil {
		return nil
	}
	return f.machine.Close()
}

// layers returns how many layers of attention there are.
func (f *Forced) layers() int { return len(f.Layers) + len(f.Encoder) + len(f.Decoder) }

// Attentions returns the weights for a pair of the last batch.
func (f *Forced) Attentions(pair int) (Attentions, error) {
	words, rows := length(f.Source, pair), length(f.Target, pair)
	alignment, err1 := weights(f.Layers, pair, rows, words)
	encoder, err2 := weights(f.Encoder, pair, words, words)
	decoder, err3 := weights(f.Decoder, pair, rows, rows)
	return Attentions{alignment, encoder, decoder}, cmp.Or(err1, err2, err3)
}

func length(s *ops.Seq, pair int) int { return s.Offsets[pair+1] - s.Offsets[pair] }

// weights returns the weights [rows, cols] for a pair in each layer and head.
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
