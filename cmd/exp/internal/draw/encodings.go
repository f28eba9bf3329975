package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

type encodingsOptions struct {
	layout         string
	base           float64
	dim, positions int
	out            string
}

// Limits of a drawing; more would not be distinguishable.
const (
	maxDims      = 4096
	maxPositions = 5000
)

// layouts lists the layouts of sinusoids by their names in settings.
var layouts = []struct {
	name, title string
	layout      ops.PositionLayout
}{
	{"sinusoid", "interleaved", ops.Interleaved},
	{"halves", "halves concatenated", ops.Halves},
}

var layoutNames = []string{layouts[0].name, layouts[1].name}

func newEncodings(a *cli.App) *cobra.Command {
	var o encodingsOptions
	cmd := &cobra.Command{
		Use:   "encodings",
		Short: "Draw sinusoidal encodings of positions",
		Long: `Draw the encodings of positions (positions × dimensions) and their dot products. By
default it shows sines and cosines interleaved (Vaswani et al.) and in two halves
(Tensor2Tensor).`,
		Example: "  exp draw encodings\n  exp draw encodings --layout halves --base 1000 --dim 64 --out pe.svg",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return drawEncodings(a, o) },
	}
	cmd.Flags().StringVar(&o.layout, "layout", "", "sinusoid (interleaved) or halves (default: both)")
	cmd.Flags().Float64Var(&o.base, "base", 10000, "base of the wavelengths; the course slides have 1000")
	cmd.Flags().IntVar(&o.dim, "dim", 50, "dimensions of an encoding")
	cmd.Flags().IntVar(&o.positions, "positions", 100, "positions")
	a.PictureFlag(cmd, &o.out)
	cmd.RegisterFlagCompletionFunc("layout", cobra.FixedCompletions(layoutNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o encodingsOptions) check() error {
	switch {
	case !(o.base > 1) || math.IsInf(o.base, 0):
		return fmt.Errorf("--base %g: want more than 1", o.base)
	case o.layout != "" && !slices.Contains(layoutNames, o.layout):
		return fmt.Errorf("--layout %s: use sinusoid or halves%s", o.layout, settings.Nearest(o.layout, layoutNames))
	case o.dim < 2 || o.dim > maxDims:
		return fmt.Errorf("--dim %d: want 2 to %d", o.dim, maxDims)
	case o.positions < 2 || o.positions > maxPositions:
		return fmt.Errorf("--positions %d: want 2 to %d", o.positions, maxPositions)
	}
	return nil
}

func drawEncodings(a *cli.App, o encodingsOptions) error {
	if err := o.check(); err != nil {
		return cli.Usage(err)
	}
	var encodings, products []chart.Matrix
	low, high, name := math.Inf(1), math.Inf(-1), "encodings"
	for _, l := range layouts {
		if o.layout != "" && o.layout != l.name {
			continue
		}
		pe := make([]float32, o.positions*o.dim)
		if err := (positions{kind: l.name, base: o.base}).add(pe, o.dim); err != nil {
			return err
		}
		encodings = append(encodings, chart.Matrix{
			Title: l.title, X: "dimension", Y: "position", Rows: o.positions, Cols: o.dim, Low: -1, High: 1,
			At: func(i, j int) float64 { return float64(pe[i*o.dim+j]) },
		})
		g := newGram(pe, o.positions, o.dim)
		smallest, largest := g.limits(0)
		low, high = min(low, smallest), max(high, largest)
		products = append(products, chart.Matrix{
			Title: "PE(p)·PE(q), " + l.title, X: "position q", Y: "position p", Rows: o.positions, Cols: o.positions, At: g.at,
		})
	}
	for i := range products {
		products[i].Low, products[i].High = low, high
	}
	encodings[len(encodings)-1].Bar, products[len(products)-1].Bar = true, true
	rows := [][]chart.Matrix{encodings, products}
	caption := fmt.Sprintf("%d positions of %d dimensions, base %g · each row has its colours at its end", o.positions, o.dim, o.base)
	if o.layout != "" {
		name += "-" + o.layout
	}
	f, err := chart.Heatmaps(name, "Encodings of positions by sinusoids", caption, rows...)
	if err != nil {
		return err
	}
	return a.WritePicture(f, o.out,
		"Each position has its own row, with fast and slow waves. The dot product of two positions depends only on their distance and is largest at distance 0.")
}

// positions is a model's encoding of positions.
type positions struct {
	kind  string // sinusoid, halves or learned
	base  float64
	table []float32 // of learned ones [max, d]
	added bool      // for the drawing: the model has none
}

// positionsOf returns the encodings of a run, or those of Vaswani et al. if it has none.
func positionsOf(c *runs.Config, v *vocabulary) (positions, error) {
	p := positions{kind: c.Setting("positions"), base: 10000}
	switch p.kind {
	case "", "none":
		p.kind, p.added = layouts[0].name, true
	case "learned":
		var err error
		p.table, err = v.Weight("positions")
		return p, err
	}
	if b := c.Setting("positions.base"); b != "" && !p.added {
		var err error
		if p.base, err = strconv.ParseFloat(b, 64); err != nil {
			return p, fmt.Errorf("positions.base=%s: %w", b, err)
		}
	}
	return p, nil
}

// String describes the encoding in a caption.
func (p positions) String() string {
	what := "learned positions"
	if p.table == nil {
		what = fmt.Sprintf("positions=%s, base %g", p.kind, p.base)
	}
	if p.added {
		what += ", added for the drawing (the model has none)"
	}
	return what
}

// add adds the encodings of the positions from 0 to rows [n, d].
func (p positions) add(rows []float32, d int) error {
	n := len(rows) / d
	if p.table != nil {
		if n*d > len(p.table) {
			return fmt.Errorf("the text has %d words, but the run has learned %d positions", n, len(p.table)/d)
		}
		simd.Add(rows, p.table[:n*d])
		return nil
	}
	for _, l := range layouts {
		if l.name != p.kind {
			continue
		}
		row := make([]float32, d)
		for i := range n {
			ops.PositionEncoding(row, i, d, p.base, l.layout)
			simd.Add(rows[i*d:][:d], row)
		}
		return nil
	}
	return fmt.Errorf("positions=%s cannot be drawn", p.kind)
}

// gram is the matrix of dot products of n rows.
type gram struct {
	n      int
	values []float32 // [n, n]
}

// newGram returns the dot products of rows [n, d].
func newGram(rows []float32, n, d int) gram {
	g := gram{n: n, values: make([]float32, n*n)}
	for i := range n {
		simd.DotRows(g.values[i*n:][:n], rows, d, d, rows[i*d:][:d])
	}
	return g
}

// at returns the dot product of rows i and j.
func (g gram) at(i, j int) float64 { return float64(g.values[i*g.n+j]) }

// limits returns the smallest and the largest product among the rows from after on.
func (g gram) limits(after int) (low, high float64) {
	low = g.at(after, after)
	high = low
	for i := after; i < g.n; i++ {
		for j := after; j < g.n; j++ {
			low, high = min(low, g.at(i, j)), max(high, g.at(i, j))
		}
	}
	return low, high
}
