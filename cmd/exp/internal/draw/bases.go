package draw

import (
	"cmp"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

type basesOptions struct {
	bases   []float64
	lengths []int
	dim     int
	out     string
}

func newBases(a *cli.App) *cobra.Command {
	var o basesOptions
	cmd := &cobra.Command{
		Use:   "bases",
		Short: "Draw the effect of the base of sinusoids, by length",
		Long: `Draw the similarity of two positions over their distance, with a panel for each length and
a line for each base. Print how many dimensions change within each length. The longest
wave has 2π·base words.`,
		Example: "  exp draw bases\n  exp draw bases --bases 500,1000 --lengths 250,2770",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return drawBases(a, o) },
	}
	cmd.Flags().Float64SliceVar(&o.bases, "bases", []float64{100, 1000, 10000}, "bases of the wavelengths, a `LIST`")
	cmd.Flags().Lookup("bases").DefValue = "[100,1000,10000]" // not 100.000000
	cmd.Flags().IntSliceVar(&o.lengths, "lengths", []int{100, 1000, 3000}, "words of a review; a panel each")
	cmd.Flags().IntVar(&o.dim, "dim", 50, "dimensions of an encoding")
	a.PictureFlag(cmd, &o.out)
	return cmd
}

func (o basesOptions) check() error {
	if len(o.bases) < 1 || len(o.bases) > 4 || len(o.lengths) < 1 || len(o.lengths) > 4 {
		return fmt.Errorf("%d bases and %d lengths: want 1 to 4 of each", len(o.bases), len(o.lengths))
	}
	err := checkRange("dim", o.dim, maxDims)
	for _, b := range o.bases {
		err = cmp.Or(err, checkBase("bases", b))
	}
	for _, n := range o.lengths {
		err = cmp.Or(err, checkRange("lengths", n, maxPositions))
	}
	return err
}

func drawBases(a *cli.App, o basesOptions) error {
	if err := o.check(); err != nil {
		return cli.Usage(err)
	}
	figure := chart.Lines{
		Name: "bases", Title: "Likeness of positions by their distance",
		Caption: fmt.Sprintf("%d dimensions, half of them sines and half cosines · means over a hundredth of the length", o.dim),
	}
	cols := []term.Column{{Head: "base"}, {Head: "longest wave", Right: true}}
	rows := make([][]string, len(o.bases))
	for i, b := range o.bases {
		rows[i] = []string{fmt.Sprint(b), format.Thousands(int(2*math.Pi*math.Pow(b, float64(o.dim-2+o.dim%2)/float64(o.dim)))) + " words"}
	}
	for _, n := range o.lengths {
		cols = append(cols, term.Column{Head: format.Thousands(n) + " words", Right: true})
		p := chart.Panel{Title: format.Thousands(n) + " words", X: "distance", Y: "cosine of two positions", YAxis: chart.Axis{Low: -0.6, High: 1.05}}
		for i, b := range o.bases {
			table := encoded(n, o.dim, b)
			p.Lines = append(p.Lines, likenessBy(fmt.Sprintf("base %g", b), table, n, o.dim))
			rows[i] = append(rows[i], fmt.Sprintf("%d of %d", moving(table, n, o.dim), o.dim))
		}
		figure.Panels = append(figure.Panels, p)
	}
	t := term.NewTable(cols...)
	for _, r := range rows {
		t.Add(r...)
	}
	a.Heading(fmt.Sprintf("dimensions that move within a review (standard deviation of %g or more)", moves))
	if err := t.Text(a.IO, "  "); err != nil {
		return err
	}
	f, err := figure.Figure()
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Page, o.out,
		"A base too small repeats itself within the review: far words look near. One too large leaves dimensions that hardly move, and near words alike.")
}

// likenessBy returns the cosine of two positions over their distance, averaged over a
// hundredth of the length so that fast waves do not hide slow ones.
func likenessBy(name string, table []float32, n, d int) chart.Line {
	line := chart.Line{Name: name}
	for k, step := 0, max(1, n/100); k+step <= n; k += step {
		sum := 0.0
		for j := k; j < k+step; j++ {
			sum += cosine(table, d, 0, j)
		}
		line.X, line.Y = append(line.X, float64(k)+float64(step-1)/2), append(line.Y, sum/float64(step))
	}
	return line
}

// moves is the standard deviation of a dimension that counts as changing; a whole wave has
// 0.71.
const moves = 0.25

// moving counts the dimensions that change over the positions.
func moving(table []float32, n, d int) int {
	count := 0
	for c := range d {
		var sum, squares float64
		for i := range n {
			v := float64(table[i*d+c])
			sum, squares = sum+v, squares+v*v
		}
		if mean := sum / float64(n); squares/float64(n)-mean*mean >= moves*moves {
			count++
		}
	}
	return count
}
