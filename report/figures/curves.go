package figures

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report"
	"imdbexp/report/canvas"
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

// curves fills in the curves of loss and accuracy, with published numbers as dots
// where they are comparable; false when no epoch is done. With several seeds a curve
// is their mean over the epochs that all of them have. A run and its counterpart in
// the other variant have the same scales.
func (d *drawing) curves(f *canvas.Figure) bool {
	panels := d.curvePanels(f)
	if o := d.counterpart; o != nil && len(panels) > 0 {
		shared := false
		for _, other := range o.curvePanels(&canvas.Figure{}) {
			for i := range panels {
				if p := &panels[i]; p.title == other.title {
					shared = true
					_, own := p.extent()
					_, others := other.extent()
					if axis, serves := p.scale.joint([]ends{own, others}); serves {
						p.axis = axis
					}
				}
			}
		}
		if shared {
			f.Caption += " · drawn to the same scales as variant=" + o.Variant()
		}
	}
	if d.smooth > 0 && len(panels) > 0 {
		f.Caption += fmt.Sprintf(" · smoothed with weight %g as TensorBoard does, the raw curves faint behind", d.smooth)
	}
	f.Size = canvas.Page
	f.Panels = canvas.Panels(panels)
	return len(panels) > 0
}

// curvePanels returns the panels that there is something to draw in, and fills in title,
// legend and caption.
func (d *drawing) curvePanels(f *canvas.Figure) []linePanel {
	seeds := report.CommonEpochs(report.Each(d.seeds, func(s *drawing) *runs.Run { return s.Run }))
	if len(seeds[0]) == 0 {
		return nil
	}
	task, classes := d.Config.Task(), guessed(d.seeds) // of pairs none
	loss := linePanel{title: "loss", x: "epoch", y: "cross-entropy (nats)", scale: lossScale(classes), epochs: true}
	accuracy := linePanel{title: task.Accuracy, x: "epoch", y: task.Accuracy + " (%)", scale: accuracyScale(classes), epochs: true}
	apart := ""
	for _, split := range []string{"train", "valid", "test"} {
		losses, accuracies := d.overSeeds(split, seeds, split+"_loss"), d.overSeeds(split, seeds, split+"_acc")
		loss.lines, accuracy.lines = append(loss.lines, losses...), append(accuracy.lines, accuracies...)
		if len(losses) > 1 || len(accuracies) > 1 {
			apart += fmt.Sprintf(" · %s: dots, because no two epochs have it with the same seeds", split)
		}
		if len(losses)+len(accuracies) > 0 {
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: split, Line: splitLook(split)})
		}
	}
	d.mark(f, &loss, &accuracy)
	f.Caption += apart
	all := []linePanel{loss, accuracy}
	if score := task.Score.Name; !d.Judged("test_acc") {
		f.Title = fmt.Sprintf("loss, %s and %s", task.Accuracy, score)
		all = append(all, linePanel{
			title: score, x: "epoch", y: score + " (%)", lines: d.overSeeds("test", seeds, task.Score.Key),
			chosen: accuracy.chosen, scale: accuracyScale(nil), epochs: true,
		})
	}
	return slices.DeleteFunc(all, func(p linePanel) bool { return len(p.lines) == 0 })
}

// mark adds the published values and the chosen epoch.
func (d *drawing) mark(f *canvas.Figure, loss, accuracy *linePanel) {
	if d.Best() && len(d.seeds) == 1 {
		loss.chosen, accuracy.chosen = d.Chosen.Epoch, d.Chosen.Epoch
	} else if d.Best() {
		f.Caption = " · chosen epochs"
		for _, s := range d.seeds {
			f.Caption += fmt.Sprintf(" %d", s.Chosen.Epoch)
		}
	}
	if d.Comparable() {
		n := report.PublishedMetrics(d.Config.Published)
		for key, p := range map[string]*linePanel{"_loss": loss, "_acc": accuracy} {
			for _, split := range []string{"train", "test"} {
				if v := n.Get(split + key); !math.IsNaN(v) {
					p.spots = append(p.spots, spot{splitLook(split), float64(n.Epoch), v})
				}
			}
		}
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Line: look(1, canvas.Faint)})
	}
}

func splitLook(split string) func(canvas.Style) draw.LineStyle {
	return func(s canvas.Style) draw.LineStyle { return s.Split(split) }
}

// overSeeds returns the line of one metric: its mean over the seeds, which all have the same
// epochs, or a line for each number if no two epochs have it with the same seeds; none if no number can be drawn.
func (d *drawing) overSeeds(split string, seeds [][]runs.Metrics, key string) []line {
	l := line{name: split, look: splitLook(split)}
	byEpoch := map[float64]map[int]float64{}
	for e, n := range seeds[0] {
		of := map[int]float64{}
		for i := range seeds {
			if v := seeds[i][e].Get(key); math.Abs(v) <= canvas.DrawableMax {
				of[i], byEpoch[float64(n.Epoch)] = v, of
			}
		}
	}
	if single := together(byEpoch); len(single) > 0 {
		return report.Each(single, func(at point) line { return line{name: split, look: l.look, points: []point{at}} })
	}
	values, means := make([]float64, len(seeds)), make([]float64, len(seeds[0]))
	for e, n := range seeds[0] {
		for i := range seeds {
			values[i] = math.NaN()
			if v, kept := byEpoch[float64(n.Epoch)][i]; kept {
				values[i] = v
			}
		}
		m := stats.Summarise(values)
		means[e] = m.Mean
		l.points = append(l.points, point{float64(n.Epoch), m.Mean, m.Mean - m.SD, m.Mean + m.SD, m.N})
	}
	if d.smooth > 0 {
		l.raw = drawable(slices.Clone(l.points))
		for e, v := range report.Smooth(means, float64(d.smooth)) {
			l.points[e].y, l.points[e].seeds = v, 1
		}
	}
	if l.points = drawable(l.points); len(l.points) == 0 {
		return nil
	}
	return []line{l}
}
