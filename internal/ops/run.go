package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/ragged"

	G "gorgonia.org/gorgonia"
)

// Machine runs one graph on batch after batch.
type Machine struct {
	g  *Graph
	vm G.VM
}

// Machine compiles the graph, which must be complete.
func (g *Graph) Machine() (m *Machine, err error) {
	if g.err != nil {
		return nil, g.err
	}
	for _, l := range g.leaves {
		if !l.Used() { // gorgonia loads it all the same
			l.bindNothing()
		}
	}
	defer func() { // gorgonia panics where its compiler fails
		if r := recover(); r != nil {
			err = fmt.Errorf("compiling the graph: %v", r)
		}
	}()
	return &Machine{g, G.NewTapeMachine(g.eg)}, nil
}

// Seed sets the seed of the graph's random numbers.
func (g *Graph) Seed(seed uint64) { g.seed = seed }

// Run computes every node on the batch. Leaves must have been set to it; step
// numbers the batches, for the random numbers.
func (m *Machine) Run(b *ragged.Batch, step uint64) error {
	g := m.g
	if err := g.begin(b, step); err != nil {
		return err
	}
	m.vm.Reset()
	err := m.vm.RunAll()
	if g.fault != nil { // the same without gorgonia's notes on its program
		return g.fault
	}
	for _, s := range g.wanted {
		err = errors.Join(err, s.op.din[s.input].write(g.pool))
	}
	return err
}

// begin turns the graph to a batch. The kernels trust what it has checked.
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
	if err := g.setSlots(b.Drawn, reviews); err != nil {
		return err
	}
	g.words.set(b.Offsets)
	if err := g.pairs.begin(b); err != nil {
		return err
	}
	g.ids, g.labels, g.reviews, g.step, g.fault = b.IDs, b.Labels, b.Reviews, step, nil
	for _, l := range g.leaves {
		if rows := l.Mat().Rows; l.Used() && rows != l.axis.Len() {
			return fmt.Errorf("%s: set to %d rows, the batch has %d", l.node.Name(), rows, l.axis.Len())
		}
	}
	return nil
}

// setSlots turns the places that reviews were drawn at into the reviews at the places.
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

// Close frees what gorgonia holds.
func (m *Machine) Close() error { return m.vm.Close() }
