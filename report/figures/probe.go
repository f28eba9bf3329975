package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

var _ = register(kind{name: "probe", many: probes})

// probes returns a figure for each probe of minimal pairs that runs have answered: a row for each setting with its
// accuracies on the test set and on the rewritings, the best on the test set at the top.
func probes(all []*drawing) (out []canvas.Figure) {
	tables, _ := compare.Probes(report.Each(all, func(d *drawing) *runs.Run { return d.Run })) // exp report says what cannot be read
	test, rewritten := chart.Look(1.3, canvas.Blue), chart.Look(1.3, canvas.Vermillion)
	for _, t := range tables {
		p, seen, pairs := rowPanel{x: "accuracy (%)", label: 40}, chart.None, 0
		for _, x := range t.Rows {
			accuracy, n := x.OnRewritings(t)
			if pairs = n; x.Set == t.Rows[0].Set && x.Test.Mean > 0 {
				seen = seen.With(x.Test.Mean, accuracy)
				p.rows = append(p.rows, row{x.Name, []mark{
					line(x.Test.Mean, accuracy, 0, chart.Look(0.8, canvas.Faint)),
					{x: x.Test.Mean, look: test, shape: draw.CircleGlyph{}, radius: 2.6}, {x: accuracy, look: rewritten, shape: canvas.Diamond{}, radius: 3.2},
				}})
			}
		}
		if len(p.rows) < 2 {
			continue
		}
		p.ends = chart.Ends{Low: math.Floor(seen.Low) - 2, High: min(100, math.Ceil(seen.High)+2)}
		out = append(out, canvas.Figure{
			Name: "probe-" + t.Probe, Title: "The best on the test set need not read best", Size: rowsOf(len(p.rows), 0.66, 3.4),
			Caption: fmt.Sprintf("accuracy on test, and on the %s of %s that people have rewritten so that another label is right; means over seeds",
				format.Counted(pairs, "text"), t.Probe),
			Legend: []canvas.LegendEntry{{Name: "test", Dot: true, Line: test}, {Name: "rewritings", Dot: true, Shape: canvas.Diamond{}, Line: rewritten}},
			Panels: canvas.Panels([]rowPanel{p}),
		})
	}
	return out
}
