package infer

import (
	"fmt"
	"slices"

	"imdbexp/runs"
)

// weight is a trained matrix as a constant.
func (g *graph) weight(name string) string {
	data, rows, cols := g.find(name)
	return g.Constant(name, data, rows, cols)
}

// row is a trained row as a vector.
func (g *graph) row(name string) string {
	data, rows, cols := g.find(name)
	return g.Constant(name, data, rows*cols)
}

// find returns a trained matrix.
func (g *graph) find(name string) (data []float32, rows, cols int) {
	for _, w := range g.trained.Weights {
		if w.Name != name {
			continue
		}
		if len(w.Shape) != 2 {
			g.fail(fmt.Errorf("weight %s has the shape %v", name, w.Shape))
			return nil, 0, 0
		}
		data, err := runs.Numbers[float32](g.trained.Weights, name, w.Shape[0]*w.Shape[1])
		g.fail(err)
		return data, w.Shape[0], w.Shape[1]
	}
	g.fail(fmt.Errorf("weight %s is missing", name))
	return nil, 0, 0
}

// vector returns a trained row of n numbers.
func (g *graph) vector(name string, n int) []float32 {
	data, err := runs.Numbers[float32](g.trained.Weights, name, n)
	g.fail(err)
	return data
}

// has reports whether there is a weight of that name.
func (g *graph) has(name string) bool {
	return slices.ContainsFunc(g.trained.Weights, func(w runs.Tensor) bool { return w.Name == name })
}

// fail keeps the first error.
func (g *graph) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}
