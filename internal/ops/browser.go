//go:build js

package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/guard"
)

// In a browser nothing is trained. There the ops run in the order in which they were
// added, without gorgonia, which would make the program four times as large. The
// kernels are the same, and so is every bit.
type (
	engine   struct{}
	vertex   struct{}
	binding  struct{}
	attached struct{}
	program  struct{}
)

func newEngine() engine { return engine{} }

func (engine) input(string, int) vertex { return vertex{} }

func (*Node) bind(Mat) {}

func (*Node) bindNothing() {}

func (o *op) attach() ([]vertex, error) { return make([]vertex, len(o.results)), nil }

func (*op) wrap(int, Mat) {}

func (*Graph) compile() (program, error) { return program{}, nil }

func (program) run(g *Graph) error {
	for _, o := range g.ops {
		err := guard.Call(o.forward)
		if own, caught := err.(*guard.Error); caught { // those of the pool say already where
			err = fmt.Errorf("%s: %w", o.name, own)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (program) close() error { return nil }

// Grad is of graphs that are trained.
func (*Graph) Grad(*Node, ...*Node) ([]func() Mat, error) {
	return nil, errors.New("in a browser there are no gradients")
}

// Gradient is that of graphs that are trained: there is none.
func (*Node) Gradient() (Mat, bool) { return Mat{}, false }
