package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/stats"
)

// families part the models by what they keep of a review, which is what its
// length strains; what is on none of them comes last.
var families = []struct {
	name, title string
	models      []string
}{
	{"words", "attention over words", []string{"mean", "simple", "query", "values"}},
	{"states", "recurrent models", []string{"lstm", "additive", "luong"}},
	{"self", "self-attention", []string{"self", "multihead", "transformer"}},
	{"others", "other models", nil},
}

// family returns the place of a model in families.
func family(model string) int {
	for i, f := range families {
		if slices.Contains(f.models, model) {
			return i
		}
	}
	return len(families) - 1
}

// series are the colours of several models in one panel: the ones of train and
// test come last.
var series = []color.NRGBA{green, reddish, orange, sky, blue, vermillion}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// lengths returns figures of accuracy by the length of the review: for each set
// of reviews one a family of models, in it the run of each experiment that stands
// best for it. More experiments than there are colours go on in further figures.
func lengths(all []*drawing) []Figure {
	var out []Figure
	for _, g := range byReviews(all) {
		for i, fam := range families {
			var shown []*drawing
			for _, d := range inTableOrder(g.list) {
				twice := slices.ContainsFunc(shown, func(o *drawing) bool { return o.Config.Name == d.Config.Name })
				if family(d.Config.Model) == i && !twice && len(d.test().lengths) > 1 {
					shown = append(shown, d)
				}
			}
			for k := 0; k*len(series) < len(shown); k++ {
				f := lengthFigure(g, shown[k*len(series):min((k+1)*len(series), len(shown))])
				f.Name = fmt.Sprintf("length-%s-%s", g.name, fam.name)
				f.Title = "Accuracy by length of the review: " + fam.title
				if k > 0 {
					f.Name, f.Title = fmt.Sprintf("%s-%d", f.Name, k+1), fmt.Sprintf("%s, continued (%d)", f.Title, k+1)
				}
				out = append(out, f)
			}
		}
	}
	return out
}

func lengthFigure(g sameReviews, shown []*drawing) Figure {
	f := Figure{size: Tall}
	var lines []lengthLine
	var who []string
	for i, d := range shown {
		lines = append(lines, lengthLine{d.Config.Name, d.test().lengths, i, len(shown)})
		f.legend = append(f.legend, legendEntry{name: d.Config.Name, line: func(s style) draw.LineStyle { return s.line(1.3, series[i]) }, shape: shapes[i]})
		who = append(who, fmt.Sprintf("%s %s, %s%s", d.run.Label(), strings.Join(d.how(), " "), variant(d.Result), d.ofSeeds()))
	}
	f.Caption = fmt.Sprintf("%s · test reviews in bins of about %s by length; bars: 95 %% Wilson intervals · %s",
		g.title, thousands(lines[0].bins[0].Reviews), strings.Join(who, "; ")) + nearMedian(shown) + unreadable(g.list)
	f.panels = drawn([]lengthPanel{lines})
	return f
}

// lengthLine is the accuracy of the i-th of n models.
type lengthLine struct {
	name string
	bins []LengthBin
	i, n int
}

type lengthPanel []lengthLine

func (lp lengthPanel) draw(s style) (*plot.Plot, error) {
	p := s.panel("", "words of the review (logarithmic)", "accuracy (%)")
	net := plotter.NewGrid()
	net.Vertical, net.Horizontal = draw.LineStyle{}, s.line(0.5, hairline)
	p.Add(net)
	shortest, longest := math.Inf(1), 0.0
	for _, l := range lp {
		points := l.points()
		if err := l.plot(p, s, points); err != nil {
			return nil, err
		}
		shortest = min(shortest, points.XYs[0].X)
		longest = max(longest, points.XYs[len(points.XYs)-1].X)
	}
	margin := 0.03 * (longest - shortest)
	p.X.Min, p.X.Max = shortest-margin, longest+margin
	if !(longest > shortest) {
		p.X.Min, p.X.Max = shortest-0.1, shortest+0.1
	}
	p.X.Tick.Marker = decadeTicks{1, 2, 3, 5, 7} // lengths span little more than one
	margin = max(0.02*(p.Y.Max-p.Y.Min), 0.1)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	return p, nil
}

// plot adds the line to a panel.
func (l lengthLine) plot(p *plot.Plot, s style, points lengthPoints) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("accuracy of %s by length: %w", l.name, err)
	}
	line.LineStyle = s.line(1.3, series[l.i])
	marks := dots(s, points.XYs, line.LineStyle)
	marks.Shape = shapes[l.i]
	bars, err := plotter.NewYErrorBars(points)
	if err != nil {
		return fmt.Errorf("accuracy of %s by length: %w", l.name, err)
	}
	bars.LineStyle, bars.CapWidth = s.line(0.8, series[l.i]), 3*s.unit
	p.Add(bars, line, marks)
	return nil
}

// lengthPoints are points with their intervals, in percent.
type lengthPoints struct {
	plotter.XYs
	plotter.YErrors
}

// points returns the line's points; those of several models stand a little beside
// each other, for their bars to be seen.
func (l lengthLine) points() lengthPoints {
	var out lengthPoints
	beside := 0.008 * (float64(l.i) - float64(l.n-1)/2)
	for _, b := range l.bins {
		w, err := stats.Wilson(float64(b.Right), float64(b.Reviews))
		if err != nil {
			continue // never: bins hold reviews
		}
		accuracy := b.Accuracy()
		out.XYs = append(out.XYs, plotter.XY{X: math.Log10(float64(max(1, b.Words))) + beside, Y: 100 * accuracy})
		out.YErrors = append(out.YErrors, struct{ Low, High float64 }{100 * (w.Low - accuracy), 100 * (w.High - accuracy)})
	}
	return out
}
