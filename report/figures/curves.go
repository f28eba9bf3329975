package figures

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

var _ = register(kind{
	name: "curves", shows: "loss and accuracy", one: (*drawing).curves, seeds: true,
	published: []Entry{
		{Number: 2, Experiment: "tme9-mean", Optimizer: "adam"},
		{Number: 3, Experiment: "tme9-simple", Optimizer: "adam"},
		{Number: 7, Experiment: "tme9-query", Optimizer: "adam"},
		{Number: 8, Experiment: "tme9-values", Optimizer: "adam"},
		{Number: 9, Experiment: "tme9-values", Optimizer: "sgd"},
		{Number: 11, Experiment: "tme9-lstm", Optimizer: "adam"},
		{Number: 12, Experiment: "tme9-lstm", Optimizer: "sgd"},
		{Number: 14, Experiment: "tme9-entropy", Optimizer: "sgd"},
		{Number: 17, Experiment: "tme10-self", Optimizer: "adam"},
		{Number: 19, Experiment: "tme10-pe", Optimizer: "adam"},
		{Number: 20, Experiment: "tme10-pe", Optimizer: "sgd"},
		{Number: 21, Experiment: "tme10-cls", Optimizer: "adam"},
		{Number: 22, Experiment: "tme10-cls-pe", Optimizer: "adam"}, // its caption says SGD, its curve's own tag does not
	},
})

// curves fills in the curves of loss and accuracy, means over the epochs that all seeds have, with comparable published
// numbers as dots; false when no epoch is done.
func (d *drawing) curves(f *canvas.Figure) bool {
	panels := d.curvePanels(f)
	if d.smooth > 0 && len(panels) > 0 {
		f.Caption += fmt.Sprintf(" · smoothed with weight %g as TensorBoard does, the raw curves faint behind", d.smooth)
	}
	f.Size = canvas.Page
	f.Panels = canvas.Panels(panels)
	return len(panels) > 0
}

// curvePanels returns the panels that have a curve, and fills in title, legend and caption.
func (d *drawing) curvePanels(f *canvas.Figure) []chart.LinePanel {
	seeds := report.CommonEpochs(report.Map(d.seeds, func(s *drawing) *runs.Run { return s.Run }))
	if len(seeds[0]) == 0 {
		return nil
	}
	task, classes := d.Config.Task(), guessed(d.seeds) // none for sentence pairs
	loss := chart.LinePanel{Title: "loss", X: "epoch", Y: "cross-entropy (nats)", Scale: chart.LossScale(classes), Epochs: true, MarkLabel: "chosen"}
	accuracy := chart.LinePanel{Title: task.Accuracy, X: "epoch", Y: task.Accuracy + " (%)", Scale: chart.AccuracyScale(classes), Epochs: true, MarkLabel: "chosen"}
	for _, split := range []string{"train", "valid", "test"} {
		losses, accuracies := d.overSeeds(split, seeds, split+"_loss"), d.overSeeds(split, seeds, split+"_acc")
		loss.Curves, accuracy.Curves = append(loss.Curves, losses...), append(accuracy.Curves, accuracies...)
		if len(losses)+len(accuracies) > 0 {
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: split, Line: splitLine(split)})
		}
	}
	f.Title = d.learned(seeds)
	d.mark(f, &loss, &accuracy)
	all := []chart.LinePanel{loss, accuracy}
	if score := task.Score.Name; !d.Judged("test_acc") {
		exact := accuracy
		exact.Title, exact.Y, exact.Curves, exact.Scale = score, score+" (%)", d.overSeeds("test", seeds, task.Score.Key), chart.AccuracyScale(nil)
		all = append(all, exact)
	}
	return slices.DeleteFunc(all, func(p chart.LinePanel) bool { return len(p.Curves) == 0 })
}

// learned says how good the run is on test and when its loss was lowest; without such a curve, on validation and train.
func (d *drawing) learned(seeds [][]runs.Metrics) string {
	var out []string
	for _, split := range []string{"test", "valid", "train"} {
		key, name, on := split+"_acc", d.Config.Task().Accuracy, strings.Replace(split, "valid", "validation", 1)
		if split == "test" && !d.Judged(key) {
			key, name = d.Config.Task().Score.Key, d.Config.Task().Score.Name
		}
		if m := stats.Summarise(report.Map(d.seeds, func(s *drawing) float64 { return s.Chosen.Get(key) })); m.N > 0 {
			out = append(out, format.Fixed(m.Mean, 1)+" % "+strings.NewReplacer("accuracy on", "on", "words", "of words").Replace(name+" on "+on))
		}
		if c := d.overSeeds(split, seeds, split+"_loss"); split != "train" && c != nil && len(c[0].Points) > 1 {
			points := slices.MaxFunc([][]chart.Point{c[0].Raw, c[0].Points}, func(a, b []chart.Point) int { return len(a) - len(b) })
			lowest := slices.MinFunc(points, func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) }).X
			out = append(out, fmt.Sprintf("lowest %s loss after epoch %g of %g", on, lowest, points[len(points)-1].X))
			break
		}
	}
	return strings.Join(out, ", ")
}

// mark adds the published values and the chosen epoch.
func (d *drawing) mark(f *canvas.Figure, loss, accuracy *chart.LinePanel) {
	if d.Best() && len(d.seeds) == 1 {
		loss.Marks = []float64{float64(d.Chosen.Epoch)}
		accuracy.Marks = loss.Marks
	} else if d.Best() {
		f.Caption = " · chosen epochs: " + strings.Join(report.Map(d.seeds, func(s *drawing) string { return fmt.Sprint(s.Chosen.Epoch) }), ", ")
	}
	if d.Comparable() {
		n := report.PublishedMetrics(d.Config.Published)
		for key, p := range map[string]*chart.LinePanel{"_loss": loss, "_acc": accuracy} {
			for _, split := range []string{"train", "test"} {
				if v := n.Get(split + key); !math.IsNaN(v) {
					p.Curves = append(p.Curves, chart.Curve{Line: splitLine(split), Points: []chart.Point{lone(float64(n.Epoch), v)}, Loose: true})
				}
			}
		}
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Line: chart.Line(1, canvas.Faint)})
	}
}

// lone is a point without an interval.
func lone(x, y float64) chart.Point { return chart.Point{X: x, Y: y, Low: math.NaN(), N: 1} }

// meanPoint is the mean of numbers at x, with one standard deviation to both sides.
func meanPoint(x float64, values []float64) chart.Point {
	m := stats.Summarise(values)
	return chart.Point{X: x, Y: m.Mean, Low: m.Mean - m.SD, High: m.Mean + m.SD, N: m.N}
}

func splitLine(split string) func(canvas.Style) draw.LineStyle {
	return func(s canvas.Style) draw.LineStyle { return s.Split(split) }
}

// overSeeds returns the curve of the mean of a metric over the seeds, nil if no two epochs have numbers of the same seeds.
func (d *drawing) overSeeds(split string, seeds [][]runs.Metrics, key string) []chart.Curve {
	c := chart.Curve{Line: splitLine(split)}
	byEpoch := map[float64]map[int]float64{}
	for e, n := range seeds[0] {
		of := map[int]float64{}
		for i := range seeds {
			if v := seeds[i][e].Get(key); math.Abs(v) <= canvas.DrawableMax {
				of[i], byEpoch[float64(n.Epoch)] = v, of
			}
		}
	}
	together(byEpoch)
	means := make([]float64, len(seeds[0]))
	for e, n := range seeds[0] {
		at := meanPoint(float64(n.Epoch), slices.Sorted(maps.Values(byEpoch[float64(n.Epoch)])))
		means[e], c.Points = at.Y, append(c.Points, at)
	}
	if d.smooth > 0 {
		c.Raw = chart.Drawable(slices.Clone(c.Points))
		for e, v := range report.Smooth(means, float64(d.smooth)) {
			c.Points[e] = lone(c.Points[e].X, v)
		}
	}
	if c.Points = chart.Drawable(c.Points); len(c.Points) == 0 {
		return nil
	}
	return []chart.Curve{c}
}
