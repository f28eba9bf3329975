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
			l.Set(Mat{1, l.cols, make([]float32, l.cols)})
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
	g.begin(b, step)
	m.vm.Reset()
	if err := m.vm.RunAll(); err != nil {
		// gorgonia wraps our error in its own notes on the program.
		for e := err; e != nil; e = errors.Unwrap(e) {
			err = e
		}
		return err
	}
	return nil
}

func (g *Graph) begin(b *ragged.Batch, step uint64) {
	g.words.set(b.Offsets)
	g.labels, g.reviews, g.step = b.Labels, b.Reviews, step
}

// Close frees what gorgonia holds.
func (m *Machine) Close() error { return m.vm.Close() }
