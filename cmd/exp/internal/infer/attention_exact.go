package infer

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// exact computes parts of a model in float64 from its weights. The first weight
// that is missing sticks as an error.
type exact struct {
	model    models.Model
	weights  map[string]*models.Weight // and running statistics
	matrices map[string][][]float64    // those asked for so far; nobody changes them
	err      error
}

func (m *Model) exact() *exact {
	x := &exact{model: m.model, weights: map[string]*models.Weight{}, matrices: map[string][][]float64{}}
	for _, w := range slices.Concat(m.weights.List(), m.weights.States()) {
		x.weights[w.Name] = w
	}
	return x
}

// wideRows cuts numbers into rows of d.
func wideRows(data []float32, d int) [][]float64 {
	var out [][]float64
	for row := range slices.Chunk(data, d) {
		out = append(out, wide(row))
	}
	return out
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// matrix returns a weight's rows.
func (x *exact) matrix(name string) [][]float64 {
	rows, ok := x.matrices[name]
	if ok {
		return rows
	}
	w := x.weights[name]
	if w == nil {
		if x.err == nil {
			x.err = fmt.Errorf("the model has no weight %s", name)
		}
		return [][]float64{{0}}
	}
	rows = wideRows(w.Data, w.Cols)
	x.matrices[name] = rows
	return rows
}

// vector returns a weight of one row.
func (x *exact) vector(name string) []float64 { return x.matrix(name)[0] }

// linear is y = x·W + b with the weights NAME.W [in, out] and, where there is one,
// NAME.b [1, out].
func (x *exact) linear(name string, rows [][]float64) [][]float64 {
	y := x.times(rows, name+".W")
	if x.weights[name+".b"] != nil {
		b := x.vector(name + ".b")
		for _, row := range y {
			plus(row, b)
		}
	}
	return y
}

// times is x·W.
func (x *exact) times(rows [][]float64, name string) [][]float64 {
	w := x.matrix(name)
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = make([]float64, len(w[0]))
		for k, v := range row[:min(len(row), len(w))] {
			for j, u := range w[k] {
				out[i][j] += v * u
			}
		}
	}
	return out
}

// norm is the normalisation of that kind (batch, layer or none), see models.
func (x *exact) norm(kind, name string, rows [][]float64) [][]float64 {
	if kind == "none" {
		return rows
	}
	scale, shift := x.vector(name+".scale"), x.vector(name+".shift")
	var means, vars []float64
	if kind == "batch" {
		means, vars = x.vector(name+".mean"), x.vector(name+".var")
	}
	out := make([][]float64, len(rows))
	for i, row := range rows {
		mu, variance := 0.0, 0.0
		for _, v := range row {
			mu += v / float64(len(row))
		}
		for _, v := range row {
			variance += (v - mu) * (v - mu) / float64(len(row))
		}
		out[i] = make([]float64, len(row))
		for j, v := range row {
			if means != nil {
				mu, variance = means[j], vars[j]
			}
			out[i][j] = (v-mu)/math.Sqrt(variance+models.NormEpsilon)*scale[j] + shift[j]
		}
	}
	return out
}

// activate applies the activation of that name in place.
func activate(name string, rows [][]float64) [][]float64 {
	f := map[string]func(float64) float64{
		"relu": func(v float64) float64 { return max(v, 0) },
		"tanh": math.Tanh,
		"gelu": func(v float64) float64 { return v * sigmoid(v*(ops.GELUP+ops.GELUQ*v*v)) },
	}[name]
	if f == nil {
		return rows
	}
	for _, row := range rows {
		for j, v := range row {
			row[j] = f(v)
		}
	}
	return rows
}

// sigmoid is 1/(1 + e⁻ᵛ).
func sigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// plus adds b to a in place.
func plus(a, b []float64) {
	for i, v := range b {
		a[i] += v
	}
}

// weighted is Σᵢ wᵢ·rowᵢ.
func weighted(w []float64, rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for i, row := range rows {
		for j, v := range row {
			out[j] += w[i] * v
		}
	}
	return out
}

// mean is the mean of rows.
func mean(rows [][]float64) []float64 {
	w := make([]float64, len(rows))
	for i := range w {
		w[i] = 1 / float64(len(rows))
	}
	return weighted(w, rows)
}
