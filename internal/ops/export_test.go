package ops

import "imdbexp/internal/ragged"

// Added reports for each input of the op behind n whether the op adds its gradient
// to the gradient of another op.
func Added(n *Node) []bool {
	out := make([]bool, len(n.src.inputs))
	for i, d := range n.src.din {
		out[i] = d.Add
	}
	return out
}

// Cuts returns the rows at which an axis is cut into shards.
func Cuts(a Axis) []int { return a.cuts() }

// Set lays a batch on the axis.
func (s *Seq) Set(offsets []int) { s.set(offsets) }

// NewSeq returns an axis of words.
func NewSeq() *Seq { return newSeq() }

// Lay lays a batch on the axes of a graph.
func (g *Graph) Lay(b *ragged.Batch) error {
	g.words.set(b.Offsets)
	return g.pairs.begin(b)
}

// TargetsIfAny returns the axis of the targets, if a graph has it.
func (g *Graph) TargetsIfAny() Axis {
	if g.pairs.targets == nil {
		return nil
	}
	return g.pairs.targets
}

// Likeliest returns the index of the largest number.
func Likeliest(z []float32) int { return likeliest(z) }

// Faulty adds an op that is the identity until a pass panics: inside the pool's
// workers, or outside.
func Faulty(x *Node, fault *Fault) *Node {
	return x.g.apply("faulty", &faulty{g: x.g, Fault: fault}, []*Node{x}, result{x.axis, x.cols})[0]
}

// Fault says where Faulty panics.
type Fault struct{ Forward, Backward, InPool bool }

type faulty struct {
	trainingOnly
	g *Graph
	*Fault
}

func (k *faulty) forward(in, out []Mat) error {
	copy(out[0].Data, in[0].Data)
	return k.strike(k.Forward)
}

func (k *faulty) backward(_, _, dout []Mat, din []Grad) error {
	for i := range dout[0].Rows {
		din[0].put(i, dout[0].Row(i))
	}
	return k.strike(k.Backward)
}

func (k *faulty) strike(now bool) error {
	if now && !k.InPool {
		panic("struck")
	}
	return k.g.pool.For(5, func(shard int) {
		if now && shard == 3 {
			panic("struck")
		}
	})
}

// StepTogether sets the min width from which recurrent layers step the shards of a worker
// together, and returns the old one.
func StepTogether(from int) int {
	old := wideStates
	wideStates = from
	return old
}

// Stepped returns how many rows of an LSTM's batch were computed in a separate step.
func Stepped(n *Node) (rows int) {
	for _, s := range n.src.k.(*lstm).groups {
		rows += s.rows()
	}
	return rows
}

// Rowwise runs f for all rows, in the pieces into which row-wise ops are cut.
func (p *Pool) Rowwise(rows int, f func(lo, hi int)) error { return p.rowwise(rows, f) }

// Turns returns the order in which a recurrent layer goes through n groups of an axis.
func Turns(s *Seq, n int) []int {
	pool := NewPool(1)
	defer pool.Close()
	k, turns := recurrence{onWords: onWords{&Graph{pool: pool}, s}}, []int(nil)
	if err := k.groupwise(n, func(i int) { turns = append(turns, i) }); err != nil {
		panic(err)
	}
	return turns
}
