package translate

import "imdbexp/internal/ops"

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
	layers  []*ops.Node // as Decoded.Entropies
	scores  *ops.Node   // [M, V] log-probabilities
}

func (d *Decoder) force() (*forcedGraph, error) {
	b := d.builder()
	_, y, w, bias := forced(b, d.model)
	f := &forcedGraph{layers: y.Entropies, scores: ops.VocabularyScores(y.Out, w, bias)}
	var err error
	f.machine, err = d.machine(b)
	return f, err
}

// alignment returns the weights [rows, cols] for a pair in each layer and head.
func alignment(layers []*ops.Node, pair, rows, cols int) ([][]ops.Mat, error) {
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
