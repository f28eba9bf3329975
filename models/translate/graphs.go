package translate

import (
	"cmp"

	"imdbexp/internal/ops"
)

// stepGraph reads one word of each translation and scores the next one. Its other inputs are
// leaves: the memory of the source, and what earlier steps computed.
type stepGraph struct {
	machine *ops.Machine
	memory  []*ops.Node // as Memory.Words
	state   State
	out     Decoded
	scores  *ops.Node // [M, V] log-probabilities
}

// step builds a step for a past of the shape of those nodes.
func (d *Decoder) step(past []*ops.Node) (*stepGraph, error) {
	b := d.builder()
	g := b.Graph()
	leaves := func(name string, axis ops.Axis, like []*ops.Node) (out []*ops.Node) {
		for _, n := range like {
			out = append(out, g.Leaf(name, axis, n.Cols(), false))
		}
		return out
	}
	step := &stepGraph{memory: leaves("memory", g.Words(), d.memory.Words)}
	step.state.Last = leaves("last", g.Words().Reviews(), d.memory.Start)
	if past != nil {
		step.state.Past = leaves("past", g.Past(), past)
	}
	step.out = d.model.Decode(b, Memory{Words: step.memory}, step.state)
	w, bias := vocabulary(b, d.model.Shared(), step.out.Out.Cols())
	step.scores = ops.VocabularyScores(step.out.Out, w, bias)
	var err error
	step.machine, err = d.machine(b)
	return step, err
}

// forcedGraph is the graph of teacher forcing: it reads the target words of a pair, and every row
// scores the next word.
type forcedGraph struct {
	machine *ops.Machine
	memory  Memory
	decoded Decoded
	scores  *ops.Node // [M, V] log-probabilities
}

func (d *Decoder) force() (*forcedGraph, error) {
	b := d.builder()
	memory, y, w, bias := forced(b, d.model)
	f := &forcedGraph{memory: memory, decoded: y, scores: ops.VocabularyScores(y.Out, w, bias)}
	var err error
	f.machine, err = d.machine(b)
	return f, err
}

// Attentions are the weights of a translator's attention for a source of n words and a
// translation of m+1 rows, by layer and head; nil where the model has none.
type Attentions struct {
	Alignment [][]ops.Mat // of each row to the source's words [m+1, n]
	Encoder   [][]ops.Mat // of each source word to the source's words [n, n]
	Decoder   [][]ops.Mat // of each row to the rows up to it [m+1, m+1]
}

// attentions returns the weights for a pair of a graph's last batch.
func attentions(m Memory, y Decoded, pair, words, rows int) (Attentions, error) {
	alignment, err1 := weights(y.Entropies, pair, rows, words)
	encoder, err2 := weights(m.Self, pair, words, words)
	decoder, err3 := weights(y.Self, pair, rows, rows)
	return Attentions{alignment, encoder, decoder}, cmp.Or(err1, err2, err3)
}

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
