package models_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"imdbexp/internal/optim"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
)

// A table of 2500 rows: several parts of work, whole ones and a rest.
const tableRows, tableDim = 2500, 7

func newTable() *optim.Rows {
	r := &optim.Rows{W: make([]float32, tableRows*tableDim), Dim: tableDim, LR: 0.01}
	simd.Normal(r.W, simd.Key(1, "table"), 0, 1)
	return r
}

// see sets the gradient of step t: some rows, neighbours and lonely ones, the
// first and the last among them.
func see(r *optim.Rows, t int) {
	key := simd.Hash1(simd.Key(2, "rows"), uint64(t))
	r.IDs, r.G = r.IDs[:0], r.G[:0]
	for i := range int32(tableRows) {
		if t%4 == 3 || simd.Hash1(key, uint64(i/3))%8 == 0 || i == 0 || i == tableRows-1 { // step 3: all
			r.IDs = append(r.IDs, i)
		}
	}
	r.G = append(r.G, make([]float32, len(r.IDs)*tableDim)...)
	simd.Normal(r.G, key, 0, 0.1)
}

// filled is the gradient of the whole table.
func filled(t *testing.T, r *optim.Rows) []float32 {
	g := must.Get(r.Grad())(t)
	return g.Data().([]float32)
}

// at once is a For that runs everything at the same time.
func atOnce(n int, f func(part int)) error {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
	return nil
}

var tableOptimizers = append(optimizersWith(true), optimizers...)

// The rules in float64, number by number. A lazy row sees only its own steps,
// but the count of all. The learning rate is the table's, not the optimiser's.
func TestRowsAgainstFloat64(t *testing.T) {
	for _, c := range tableOptimizers {
		t.Run(c.name, func(t *testing.T) {
			r, o := newTable(), c.make()
			w, memory := make([]float64, len(r.W)), make([][2]float64, len(r.W))
			for i, v := range r.W {
				w[i] = float64(v)
			}
			for step := 1; step <= 8; step++ {
				r.LR = 0.01 / float64(step)
				see(r, step)
				require.NoError(t, o.Step([]G.ValueGrad{r}))
				g := filled(t, r)
				has := make([]bool, tableRows)
				for _, id := range r.IDs {
					has[id] = true
				}
				for i := range w {
					if has[i/tableDim] || !c.lazy {
						w[i] = c.rule(w[i], float64(g[i]), r.LR, step, &memory[i])
					}
					if math.Abs(w[i]-float64(r.W[i])) > 2e-5*(1+math.Abs(w[i])) {
						t.Fatalf("step %d, row %d: %g, want %g", step, i/tableDim, r.W[i], w[i])
					}
				}
			}
		})
	}
}

// With zeros filled in, a weight moves by the same bits as the table: dense Adam
// always, the lazy rules where every row has a gradient, plain SGD too.
func TestRowsAreDense(t *testing.T) {
	for _, c := range tableOptimizers {
		t.Run(c.name, func(t *testing.T) {
			r, o, whole := newTable(), c.make(), c.make()
			whole.SetLR(r.LR)
			w := optim.Weight{W: newTable().W}
			for step := range 9 {
				if see(r, step); c.lazy && c.name != "sgd" {
					see(r, 3)
				}
				require.NoError(t, o.Step([]G.ValueGrad{r}))
				w.G = filled(t, r)
				require.NoError(t, whole.Step([]G.ValueGrad{w}))
			}
			require.Equal(t, w.W, r.W)
			require.Equal(t, whole.State(), o.State())
		})
	}
}

// Any division of the work, any level of the kernels, resumed or not: the same bits.
func TestRowsSameBits(t *testing.T) {
	defer simd.Use(simd.Best())
	for _, c := range tableOptimizers {
		var want []float32
		for _, level := range simd.Levels() {
			require.NoError(t, simd.Use(level))
			for _, parallel := range []bool{false, true} {
				r, o := newTable(), c.make()
				if parallel {
					r.For = atOnce
				}
				for step := range 6 {
					if step == 4 && parallel {
						saved := copied(o.State())
						o = c.make()
						o.Restore(saved)
					}
					see(r, step)
					require.NoError(t, o.Step([]G.ValueGrad{r}))
				}
				if want == nil {
					want = r.W
				}
				require.Equal(t, want, r.W, "%s, %v, parallel %v", c.name, level, parallel)
			}
		}
	}
}

func TestClipCountsRows(t *testing.T) {
	w := optim.Weight{W: make([]float32, 2), G: []float32{3, 4}}
	r := &optim.Rows{W: make([]float32, 8), Dim: 2, IDs: []int32{1, 3}, G: []float32{0, 12, 84, 0}}
	norm := optim.Clip([]G.ValueGrad{w, r}, 8.5)
	require.Equal(t, 85.0, norm)
	require.InDeltaSlice(t, []float32{0.3, 0.4, 1.2, 8.4}, []float32{w.G[0], w.G[1], r.G[1], r.G[2]}, 1e-6)
}

func TestFailingWorker(t *testing.T) {
	failing := newTable()
	failing.For = func(int, func(int)) error { return fmt.Errorf("no worker") }
	for _, c := range tableOptimizers {
		require.ErrorContains(t, c.make().Step([]G.ValueGrad{failing}), "no worker")
	}
}
