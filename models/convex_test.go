package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/convex"
	"imdbexp/internal/ops"
	"imdbexp/internal/sparse"
	"imdbexp/internal/testkit/must"
)

// random returns rows in classes that a line nearly parts.
func random(rows, cols, classes int) (*sparse.Matrix, []int32) {
	rng := rand.New(rand.NewPCG(5, uint64(classes)))
	m, labels := &sparse.Matrix{Rows: rows, Cols: cols, Start: []int{0}}, make([]int32, rows)
	for i := range rows {
		y := rng.IntN(classes)
		labels[i] = int32(y)
		for c := range cols {
			if rng.IntN(4+cols/10) == 0 || c%classes == y && rng.IntN(3+cols/10) == 0 {
				m.Index, m.Value = append(m.Index, int32(c)), append(m.Value, rng.Float32())
			}
		}
		m.Start = append(m.Start, len(m.Index))
	}
	return m, labels
}

// problems are one of each kind.
func problems(rows, cols int) map[string]convex.Problem {
	out := map[string]convex.Problem{}
	for _, classes := range []int{2, 3} {
		x, labels := random(rows, cols, classes)
		scale := make([]float64, cols*convex.Columns(classes))
		for i := range scale {
			scale[i] = 0.5 + float64(i%7)
		}
		for _, loss := range []convex.Loss{convex.Logistic, convex.SquaredHinge} {
			p := convex.Problem{X: x, Labels: labels, Classes: classes, Loss: loss, C: 0.7}
			out[fmt.Sprint(loss, " ", classes)] = p
			p.Scale = scale
			out[fmt.Sprint(loss, " ", classes, " scaled")] = p
		}
	}
	return out
}

func solve(t *testing.T, s *convex.Solver, steps int) convex.Report {
	t.Helper()
	for !s.Report().Done && steps > 0 {
		before := s.Report()
		r := must.Get(s.Step())(t)
		require.LessOrEqual(t, r.Objective, before.Objective*(1+1e-12))
		require.Equal(t, before.Iteration+1, r.Iteration)
		steps--
	}
	return s.Report()
}

// One step from a state leaves the objective there and its gradient: they are compared with
// the formulas, and the gradient with differences of the objective.
func TestGradient(t *testing.T) {
	for name, p := range problems(60, 9) {
		s, err := convex.New(sparse.Serial{}, p, 1e-6)
		require.NoError(t, err, name)
		solve(t, s, 2)
		state := s.State()
		value := func(point []float64) float64 {
			st := state
			st.Point = point
			require.NoError(t, s.Restore(st))
			return s.Report().Objective
		}
		require.InEpsilon(t, objective(p, state.Point), value(state.Point), 1e-12, name)
		norm := s.Report().GradientNorm
		var squares float64
		for i := range state.Point {
			const h = 1e-5
			point := append([]float64(nil), state.Point...)
			point[i] += h
			up := value(point)
			point[i] -= 2 * h
			d := (up - value(point)) / (2 * h)
			squares += d * d
		}
		require.InEpsilon(t, math.Sqrt(squares), norm, 1e-5, name)
	}
}

// objective is f by its formula.
func objective(p convex.Problem, point []float64) float64 {
	k := convex.Columns(p.Classes)
	w, b := point[:p.X.Cols*k], point[p.X.Cols*k:]
	var f float64
	for _, x := range w {
		f += x * x / 2
	}
	for i, y := range p.Labels {
		z := slices.Clone(b)
		index, value := p.X.Row(i)
		for j, c := range index {
			for k := range z {
				at := int(c)*len(z) + k
				s := 1.0
				if p.Scale != nil {
					s = p.Scale[at]
				}
				z[k] += w[at] * s * float64(value[j])
			}
		}
		if k == 1 && p.Loss == convex.Logistic {
			z = []float64{0, z[0]}
		}
		if p.Loss == convex.Logistic {
			var sum float64
			for _, x := range z {
				sum += math.Exp(x)
			}
			f += p.C * (math.Log(sum) - z[y])
			continue
		}
		for k, x := range z {
			if int(y) == k && len(z) > 1 || len(z) == 1 && y == 1 {
				x = -x
			}
			f += p.C * math.Pow(math.Max(0, 1+x), 2)
		}
	}
	return f
}

// Newton's steps come to the minimum, where the gradient is nothing.
func TestConverges(t *testing.T) {
	for name, p := range problems(300, 30) {
		s := must.Get(convex.New(sparse.Serial{}, p, 1e-9))(t)
		r := solve(t, s, 60)
		require.True(t, r.Converged, "%s: %+v", name, r)
		state := s.State()
		require.LessOrEqual(t, r.GradientNorm, 1e-9*state.Initial, name)
		again := must.Get(s.Step())(t)
		require.Equal(t, r, again, "a step of one that is done")
	}
}

// Where digits end, a solver says so instead of going on for ever.
func TestStalls(t *testing.T) {
	p := problems(300, 30)["logistic 2"]
	s := must.Get(convex.New(sparse.Serial{}, p, 1e-300))(t)
	r := solve(t, s, 200)
	require.True(t, r.Done)
	require.False(t, r.Converged)
	require.NoError(t, s.Restore(s.State()))
	require.True(t, s.Report().Done)
}

// Any number of workers, and an interruption after any step, leave the bits alone.
func TestBits(t *testing.T) {
	for name, p := range problems(300, 9000) {
		if p.Scale == nil {
			continue
		}
		first := must.Get(convex.New(sparse.Serial{}, p, 1e-3))(t)
		var states []convex.State
		for !first.Report().Done {
			states = append(states, first.State())
			must.Get(first.Step())(t)
		}
		require.Greater(t, len(states), 2, name)
		for i, workers := range []int{2, 3, 7} {
			pool := ops.NewPool(workers)
			defer pool.Close()
			s := must.Get(convex.New(pool, p, 1e-3))(t)
			if i < len(states) {
				require.NoError(t, s.Restore(states[i]))
			}
			solve(t, s, 100)
			require.Equal(t, first.State(), s.State(), "%s, %d workers", name, workers)
			require.Equal(t, first.Report(), s.Report())
		}
	}
}

func TestHostile(t *testing.T) {
	good := problems(20, 4)["logistic 2"]
	for want, change := range map[string]func(*convex.Problem){
		"no row":           func(p *convex.Problem) { p.X, p.Labels = &sparse.Matrix{Cols: 4, Start: []int{0}}, nil },
		"have the class 0": func(p *convex.Problem) { p.Labels = make([]int32, 20) },
	} {
		p := good
		change(&p)
		require.ErrorContains(t, must.Fail(convex.New(sparse.Serial{}, p, 0.1)), want)
	}
	_, err := convex.New(sparse.Serial{}, good, 0)
	require.ErrorContains(t, err, "tolerance of 0")
	s, err := convex.New(sparse.Serial{}, good, 0.1)
	require.NoError(t, err)

	// Empty rows, a feature that no row has, a class of three that no row has.
	p := convex.Problem{
		X:      &sparse.Matrix{Rows: 3, Cols: 2, Start: []int{0, 0, 1, 1}, Index: []int32{1}},
		Labels: []int32{0, 1, 0}, Classes: 3, Loss: convex.SquaredHinge, C: 1,
	}
	s, err = convex.New(sparse.Serial{}, p, 1e-9)
	require.NoError(t, err)
	solve(t, s, 50)
	w, b := s.Weights()
	assert.Equal(t, []float64{0, 0, 0}, w[:3])
	assert.InDelta(t, -1, b[2], 1e-6)
	p.Loss = convex.Logistic
	s, err = convex.New(sparse.Serial{}, p, 1e-6)
	require.NoError(t, err)
	require.True(t, solve(t, s, 100).Converged, "its bias sinks until the tolerance is met")
	p.X = &sparse.Matrix{Rows: 3, Start: []int{0, 0, 0, 0}}
	s, err = convex.New(sparse.Serial{}, p, 1e-6)
	require.NoError(t, err)
	require.True(t, solve(t, s, 100).Converged, "no feature at all: the bias learns the classes' shares")
	p.X = &sparse.Matrix{Rows: 3, Cols: 1, Start: []int{0, 1, 1, 1}, Index: []int32{0}, Value: []float32{3e38}}
	p.C = 1e300
	s, err = convex.New(sparse.Serial{}, p, 1e-6)
	if err == nil {
		_, err = s.Step()
	}
	require.ErrorContains(t, err, "too large")
}

func TestRatios(t *testing.T) {
	x := &sparse.Matrix{Rows: 4, Cols: 3, Start: []int{0, 2, 3, 4, 5}, Index: []int32{0, 1, 0, 1, 1}}
	xt := x.Transpose()
	// Class 1 has the counts 2, 1, 0, class 0 has 0, 2, 0.
	r := must.Get(convex.LogCountRatios(sparse.Serial{}, xt, []int32{1, 1, 0, 0}, 2, 1))(t)
	assert.InDeltaSlice(t, []float64{math.Log(3. / 6 * 5 / 1), math.Log(2. / 6 * 5 / 3), math.Log(1. / 6 * 5 / 1)}, r, 1e-15)
	r = must.Get(convex.LogCountRatios(sparse.Serial{}, xt, []int32{1, 1, 0, 2}, 3, 1))(t)
	assert.InDelta(t, math.Log(3./6*5/1), r[1], 1e-15, "class 1 against the rest")
	assert.InDelta(t, math.Log(2./4*7/3), r[3], 1e-15, "class 0 of feature 1")
}

func TestInterpolate(t *testing.T) {
	w := []float64{1, -3, 0, 8}
	convex.Interpolate(w, 1, 1)
	assert.Equal(t, []float64{1, -3, 0, 8}, w)
	convex.Interpolate(w, 1, 0.5)
	assert.Equal(t, []float64{2, 0, 1.5, 5.5}, w)
	w = []float64{1, -3, 0, 8}
	convex.Interpolate(w, 2, 0)
	assert.Equal(t, []float64{0.5, 5.5, 0.5, 5.5}, w)
}

// A class of weight 2 is a class whose rows are there twice.
func TestWeightsOfReviews(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, loss := range []convex.Loss{convex.Logistic, convex.SquaredHinge} {
			x, labels := random(60, 9, classes)
			twice, more := &sparse.Matrix{Cols: x.Cols, Start: []int{0}}, []int32(nil)
			for i, y := range labels {
				for range map[bool]int{false: 1, true: 2}[y == 1] {
					twice.Index = append(twice.Index, x.Index[x.Start[i]:x.Start[i+1]]...)
					twice.Value = append(twice.Value, x.Value[x.Start[i]:x.Start[i+1]]...)
					twice.Start, more = append(twice.Start, len(twice.Index)), append(more, y)
				}
			}
			twice.Rows = len(more)
			weights := []float64{1, 2, 1}[:classes]
			a := must.Get(convex.New(sparse.Serial{}, convex.Problem{X: x, Labels: labels, Classes: classes, Loss: loss, C: 1, Weights: weights}, 1e-10))(t)
			b := must.Get(convex.New(sparse.Serial{}, convex.Problem{X: twice, Labels: more, Classes: classes, Loss: loss, C: 1}, 1e-10))(t)
			require.InEpsilon(t, solve(t, b, 100).Objective, solve(t, a, 100).Objective, 1e-12)
			require.InDeltaSlice(t, b.State().Point, a.State().Point, 1e-7)
		}
	}
}

func some() *sparse.Matrix {
	return &sparse.Matrix{ // 2 0 3 / 0 0 0 / 0 4 5
		Rows: 3, Cols: 3, Start: []int{0, 2, 2, 4}, Index: []int32{0, 2, 1, 2}, Value: []float32{2, 3, 4, 5},
	}
}

func TestMultiply(t *testing.T) {
	m := some()
	dst := make([]float64, 3)
	require.NoError(t, m.Multiply(sparse.Serial{}, dst, []float64{1, 10, 100}, 1))
	assert.Equal(t, []float64{302, 0, 540}, dst)
	two := make([]float64, 6)
	require.NoError(t, m.Multiply(sparse.Serial{}, two, []float64{1, -1, 10, -10, 100, 0}, 2))
	assert.Equal(t, []float64{302, -2, 0, 0, 540, -40}, two)
	x := m.Transpose()
	assert.Equal(t, &sparse.Matrix{Rows: 3, Cols: 3, Start: []int{0, 1, 2, 4}, Index: []int32{0, 2, 0, 2}, Value: []float32{2, 4, 3, 5}}, x)
	m.Value = nil
	require.NoError(t, m.Multiply(sparse.Serial{}, dst, []float64{1, 10, 100}, 1))
	assert.Equal(t, []float64{101, 0, 110}, dst)
	require.NoError(t, m.Multiply(sparse.Serial{}, two, []float64{1, -1, 10, -10, 100, 0}, 2))
	assert.Equal(t, []float64{101, -1, 0, 0, 110, -10}, two)
	empty := &sparse.Matrix{Cols: 2, Start: []int{0}}
	require.NoError(t, empty.Multiply(sparse.Serial{}, nil, []float64{1, 2}, 1))
	x = empty.Transpose()
	assert.Equal(t, []int{0, 0, 0}, x.Start)
}

// Large enough for several shards: any number of workers gives the same bits, and the
// transpose twice the matrix itself.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := &sparse.Matrix{Rows: 2000, Cols: 300, Start: []int{0}}
	for range m.Rows {
		for c := range m.Cols {
			if rng.IntN(8) == 0 {
				m.Index, m.Value = append(m.Index, int32(c)), append(m.Value, rng.Float32()-0.5)
			}
		}
		m.Start = append(m.Start, len(m.Index))
	}
	for _, k := range []int{1, 3} {
		w := make([]float64, m.Cols*k)
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		first := make([]float64, m.Rows*k)
		require.NoError(t, m.Multiply(sparse.Serial{}, first, w, k))
		for _, workers := range []int{2, 3, 7} {
			pool := ops.NewPool(workers)
			defer pool.Close()
			dst := make([]float64, m.Rows*k)
			require.NoError(t, m.Multiply(pool, dst, w, k))
			require.Equal(t, first, dst)
			x := m.Transpose()
			x = x.Transpose()
			require.Equal(t, m, x)
		}
	}
}
