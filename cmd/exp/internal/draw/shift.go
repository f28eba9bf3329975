package draw

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

func newShift(a *cli.App) *cobra.Command {
	o := encodingsOptions{layout: layouts[0].name}
	cmd := &cobra.Command{
		Use:   "shift [RUN|EXPERIMENT]",
		Short: "Draw that a step along sinusoids is a linear map, unlike along learned positions",
		Long: `Draw the similarity of positions by their distance, from several starts, and the error of
the best linear map from PE(i) to PE(i+k) (Vaswani et al., section 3.5: for sinusoids
PE(i+k) = M·PE(i) with one M for all i). The map is fitted to every other position and
tested on the rest. The second panel shows the learned positions of a run with
positions=learned, or random vectors if no run is named.`,
		Example:           "  exp draw shift\n  exp draw shift 'tme10-pe[positions=learned]' --out shift.svg",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.CompleteRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return drawShift(a, args, o) },
	}
	cmd.Flags().Float64Var(&o.base, "base", 10000, "base of the wavelengths")
	cmd.Flags().IntVar(&o.dim, "dim", 50, "dimensions of an encoding, if no run is named")
	cmd.Flags().IntVar(&o.positions, "positions", 400, "positions")
	a.PictureFlag(cmd, &o.out)
	return cmd
}

func drawShift(a *cli.App, refs []string, o encodingsOptions) error {
	if err := o.check(nil); err != nil {
		return cli.Usage(err)
	}
	name, caption, other := "random", "", []float32(nil)
	if len(refs) > 0 {
		run, err := a.RunOf(refs[0])
		if err != nil {
			return err
		}
		pool := ops.NewPool(1)
		defer pool.Close()
		v, err := openVocabulary(run, pool)
		if err != nil {
			return err
		}
		defer v.Close()
		p, err := positionsOf(&run.Config, v)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", run.Label(), err)
		case p.table == nil:
			return fmt.Errorf("%s has no learned positions; train some: %s", run.Label(), a.Command("run", "tme10-pe", "positions=learned"))
		}
		name, o.dim, other = "learned", v.Dim(), p.table
		o.positions = min(o.positions, len(other)/o.dim)
		caption = " · learned: the first of " + run.Label()
	} else {
		other = make([]float32, o.positions*o.dim)
		simd.Normal(other, simd.Key(1, "positions"), 0, 1)
	}
	if need := 8 * o.dim; o.positions < need {
		return cli.Usage(fmt.Errorf("%d positions of %d dimensions: use at least %d positions to fit a map", o.positions, o.dim, need))
	}
	sinusoid := encoded(o.positions, o.dim, o.base)
	residual := func(title string, table []float32) chart.Line {
		line := chart.Line{Name: title}
		for k := 1; k <= o.positions/2; k += max(1, o.positions/50) {
			line.X, line.Y = append(line.X, float64(k)), append(line.Y, unexplained(table, o.positions, o.dim, k))
		}
		return line
	}
	likeness := func(title string, table []float32) chart.Panel {
		p := chart.Panel{Title: title, X: "distance k", Y: "cosine of positions i and i + k", YAxis: chart.Axis{Low: -0.6, High: 1.05}}
		for _, i := range []int{0, o.positions / 8, o.positions / 4, o.positions / 2} {
			line := chart.Line{Name: fmt.Sprintf("i = %d", i)}
			for k := range o.positions / 2 {
				line.X, line.Y = append(line.X, float64(k)), append(line.Y, cosine(table, o.dim, i, i+k))
			}
			p.Lines = append(p.Lines, line)
		}
		return p
	}
	f, err := chart.Lines{
		Name: "shift", Title: "A step along positions",
		Caption: fmt.Sprintf("%d positions of %d dimensions, base %g%s · the best linear map is fitted to even positions and judged on odd ones; 1: no better than their mean", o.positions, o.dim, o.base, caption),
		Panels: []chart.Panel{likeness("sinusoid", sinusoid), likeness(name, other), {
			Title: "best linear map from i to i + k", X: "distance k", Y: "share of the variance left", YAxis: chart.Axis{Low: -0.05, High: 1.1},
			Lines: []chart.Line{residual(name, other), residual("sinusoid", sinusoid)},
		}},
	}.Figure()
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Page, o.out,
		"Along sinusoids a step is the same map everywhere, so attention can ask for the word k places before. Positions learned one by one have no such structure.")
}

// encoded returns sinusoids of the positions from 0, [n, d].
func encoded(n, d int, base float64) []float32 {
	out := make([]float32, n*d)
	for i := range n {
		ops.PositionEncoding(out[i*d:][:d], i, d, base, ops.Interleaved)
	}
	return out
}

// cosine returns the cosine of rows i and j of a table.
func cosine(table []float32, d, i, j int) float64 {
	x, y := table[i*d:][:d], table[j*d:][:d]
	var xy, xx, yy float64
	for c := range d {
		xy, xx, yy = xy+float64(x[c])*float64(y[c]), xx+float64(x[c])*float64(x[c]), yy+float64(y[c])*float64(y[c])
	}
	return xy / max(math.Sqrt(xx*yy), 1e-30)
}

// unexplained returns the share of the variance of rows i+k that the best linear map of rows
// i does not explain, fitted to even i and tested on odd ones: 0 for a map that is the same
// everywhere, 1 if the mean is as good or better.
func unexplained(table []float32, n, d, k int) float64 {
	part := func(from, offset int) *mat.Dense {
		var data []float64
		for i := from; i+k < n; i += 2 {
			for _, v := range table[(i+offset)*d:][:d] {
				data = append(data, float64(v))
			}
		}
		return mat.NewDense(len(data)/d, d, data)
	}
	x, y := part(0, 0), part(0, k)
	var square mat.SymDense
	square.SymOuterK(1, x.T())
	ridge := 1e-9 * mat.Trace(&square) / float64(d) // slow waves hardly differ from a constant
	for c := range d {
		square.SetSym(c, c, square.At(c, c)+ridge)
	}
	var factors mat.Cholesky
	var products, m, mapped mat.Dense
	products.Mul(x.T(), y)
	if !factors.Factorize(&square) || factors.SolveTo(&m, &products) != nil {
		return math.NaN()
	}
	x, y = part(1, 0), part(1, k)
	mapped.Mul(x, &m)
	rest, all := 0.0, 0.0
	rows, _ := y.Dims()
	for c := range d {
		mean := mat.Sum(y.ColView(c)) / float64(rows)
		for r := range rows {
			rest += math.Pow(y.At(r, c)-mapped.At(r, c), 2)
			all += math.Pow(y.At(r, c)-mean, 2)
		}
	}
	return min(1, rest/all)
}
