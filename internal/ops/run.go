package ops

import (
	"fmt"

	"imdbexp/internal/ragged"
)

// Machine runs one graph on batch after batch.
type Machine struct {
	g *Graph
	program
}

// program runs the ops of a graph on its current batch.
type program interface {
	run(g *Graph) error
	close() error
}

// Machine compiles the graph, which must be complete.
func (g *Graph) Machine() (*Machine, error) {
	if g.err != nil {
		return nil, g.err
	}
	p, err := g.compile()
	if err != nil {
		return nil, err
	}
	return &Machine{g, p}, nil
}

// Seed sets the seed of the graph's random numbers.
func (g *Graph) Seed(seed uint64) { g.seed = seed }

// Run computes every node on the batch. The leaves must be set to the batch; step
// is its number, for the random numbers.
func (m *Machine) Run(b *ragged.Batch, step uint64) error {
	if err := m.g.begin(b, step); err != nil {
		return err
	}
	return m.run(m.g)
}

// begin checks the batch and makes it the current one; the kernels rely on the checks.
func (g *Graph) begin(b *ragged.Batch, step uint64) error {
	reviews := len(b.Offsets) - 1
	if reviews < 1 || b.Offsets[0] != 0 || len(b.Reviews) != reviews || len(b.Labels) != reviews {
		return fmt.Errorf("batch: %d offsets, %d reviews and %d labels do not fit together", len(b.Offsets), len(b.Reviews), len(b.Labels))
	}
	for i := range reviews {
		if b.Offsets[i] >= b.Offsets[i+1] {
			return fmt.Errorf("batch: review %d has no words", b.Reviews[i])
		}
	}
	if err := g.setSlots(b.Order, reviews); err != nil {
		return err
	}
	g.words.set(b.Offsets)
	if err := g.pairs.begin(b); err != nil {
		return err
	}
	g.ids, g.labels, g.reviews, g.step, g.fault = b.IDs, b.Labels, b.Reviews, step, nil
	for _, l := range g.leaves {
		if rows := l.Mat().Rows; l.Used() && rows != l.axis.Len() {
			return fmt.Errorf("%s: set to %d rows, the batch has %d", l.leaf.name, rows, l.axis.Len())
		}
	}
	return nil
}

// setSlots inverts drawn, the slot of each review in the sampled batch.
func (g *Graph) setSlots(drawn []int32, reviews int) error {
	if drawn != nil && len(drawn) != reviews {
		return fmt.Errorf("batch: %d places of %d reviews", len(drawn), reviews)
	}
	g.slots = grown(g.slots, reviews)
	for i := range g.slots {
		g.slots[i] = i
		if drawn != nil {
			g.slots[i] = -1
		}
	}
	for b, place := range drawn {
		if uint(place) >= uint(reviews) || g.slots[place] >= 0 {
			return fmt.Errorf("batch: review %d cannot have been drawn at place %d of %d", b, place, reviews)
		}
		g.slots[place] = b
	}
	return nil
}

// InOrder makes the machine run without gorgonia from now on, as in a browser. Tests check
// that the bits are the same.
func (m *Machine) InOrder() error {
	err := m.close()
	m.program = inOrder{}
	if cost := m.g.tape.cost; cost != nil {
		m.g.reverse(m.g.trace(cost))
	}
	return err
}

// Close frees the resources of the graph's program.
func (m *Machine) Close() error { return m.close() }
