//go:build js

package ops

// The browser has no gorgonia, which would make the program four times as large. The ops
// run in the order they were added, and their backward passes in reverse, as in gorgonia.
// The kernels are the same, and so is every bit.
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
