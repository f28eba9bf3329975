//go:build js

package ops

// In a browser there is no gorgonia, which would make the program four times as large:
// the ops run in the order in which they were added, and their backward passes in the
// opposite one, which is gorgonia's. The kernels are the same, and so is every bit.
type (
	engine   struct{}
	vertex   struct{}
	binding  struct{}
	attached struct{}
)

func newEngine() engine { return engine{} }

func (engine) input(string, int) vertex { return vertex{} }

func (*Node) bind(Mat) {}

func (*Node) bindNothing() {}

func (o *op) attach() ([]vertex, error) { return make([]vertex, len(o.results)), nil }

func (*op) wrap(int, Mat) {}

func (*op) wrapGrad(int, Mat) {}

func (*Graph) compile() (program, error) { return inOrder{}, nil }

func (g *Graph) derive(_ *Node, _ []*Node, before map[*op]int) error {
	g.reverse(before)
	return nil
}
