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

// curves fills in the curves of loss and accuracy, with the published numbers as
// dots where they may stand beside; false when no epoch is done. Of several seeds
// they are the means, over the epochs that all seeds have. A run and its counterpart
// of the other variant are drawn to the same scales.
func (d *drawing) curves(f *canvas.Figure) bool {
	panels := d.curvePanels(f)
	if o := d.counterpart; o != nil && len(panels) > 0 {
		shared := false
		for _, other := range o.curvePanels(&canvas.Figure{}) {
			for i := range panels {
				if p := &panels[i]; p.title == other.title {
					shared = true
					if axis, serves := p.scale.joint([]ends{p.ends(), other.ends()}); serves {
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
		for _, p := range panels {
			for i, c := range p.curves {
				p.curves[i].smoothed = report.Smooth(c.values, float64(d.smooth))
			}
		}
		f.Caption += fmt.Sprintf(" · smoothed with weight %g as TensorBoard does, the raw curves faint behind", d.smooth)
	}
	f.Size = canvas.Page
	f.Panels = canvas.Panels(panels)
	return len(panels) > 0
}

// curvePanels returns the panels that there is something to draw in, and fills in title,
// legend and caption.
func (d *drawing) curvePanels(f *canvas.Figure) []curvePanel {
	seeds := epochsOf(d.seeds)
	if len(seeds[0]) == 0 {
		return nil
	}
	task, classes := d.Config.Task(), len(d.Config.Classes) // of pairs none
	loss := curvePanel{title: "loss", unit: "cross-entropy (nats)", scale: lossScale(classes)}
	accuracy := curvePanel{title: task.Accuracy, unit: task.Accuracy + " (%)", scale: accuracyScale(classes)}
	for _, split := range []struct {
		name      string
		loss, acc string // keys of metrics
	}{
		{"train", "train_loss", "train_acc"},
		{"valid", "valid_loss", "valid_acc"},
		{"test", "test_loss", "test_acc"},
	} {
		l, a := overSeeds(split.name, seeds, split.loss), overSeeds(split.name, seeds, split.acc)
		if len(l.xys())+len(a.xys()) > 0 {
			loss.curves, accuracy.curves = append(loss.curves, l), append(accuracy.curves, a)
			f.Legend = append(f.Legend, canvas.LegendEntry{Name: split.name, Line: func(s canvas.Style) draw.LineStyle { return s.Split(split.name) }})
		}
	}
	d.mark(f, &loss, &accuracy)
	all := []curvePanel{loss, accuracy}
	if score := task.Score.Name; !d.Judged("test_acc") {
		f.Title = fmt.Sprintf("loss, %s and %s", task.Accuracy, score)
		all = append(all, curvePanel{
			title: score, unit: score + " (%)", curves: []curve{overSeeds("test", seeds, task.Score.Key)},
			chosen: accuracy.chosen, scale: accuracyScale(0),
		})
	}
	return slices.DeleteFunc(all, func(p curvePanel) bool { return !p.drawable() })
}

// mark adds the published values and the chosen epoch.
func (d *drawing) mark(f *canvas.Figure, loss, accuracy *curvePanel) {
	if d.Best() && len(d.seeds) == 1 {
		loss.chosen, accuracy.chosen = d.Chosen.Epoch, d.Chosen.Epoch
	} else if d.Best() {
		f.Caption = " · chosen epochs"
		for _, s := range d.seeds {
			f.Caption += fmt.Sprintf(" %d", s.Chosen.Epoch)
		}
	}
	if p := d.Config.Published; d.Comparable() {
		n := report.PublishedMetrics(p)
		loss.spots = spots(p.Epochs, n.Get("train_loss"), n.Get("test_loss"))
		accuracy.spots = spots(p.Epochs, n.Get("train_acc"), n.Get("test_acc"))
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: "published", Dot: true, Line: func(s canvas.Style) draw.LineStyle { return s.Line(1, canvas.Faint) }})
	}
}

func spots(epoch int, train, test float64) []spot {
	var out []spot
	for _, s := range []spot{{"train", epoch, train}, {"test", epoch, test}} {
		if !math.IsNaN(s.value) {
			out = append(out, s)
		}
	}
	return out
}

// epochsOf reads the epochs of each run, and keeps those that all runs have.
func epochsOf(list []*drawing) [][]runs.Metrics {
	out := make([][]runs.Metrics, len(list))
	for i, d := range list {
		out[i], _ = d.Run.Metrics() // a damaged rest is noted already
	}
	common := func(n runs.Metrics) bool {
		return !slices.ContainsFunc(out, func(other []runs.Metrics) bool {
			return !slices.ContainsFunc(other, func(o runs.Metrics) bool { return o.Epoch == n.Epoch })
		})
	}
	kept := make([][]runs.Metrics, len(out))
	for i, epochs := range out {
		for _, n := range epochs {
			if common(n) {
				kept[i] = append(kept[i], n)
			}
		}
	}
	return kept
}

// overSeeds returns one number over the epochs, the mean over the seeds; all of
// them have the same epochs.
func overSeeds(split string, seeds [][]runs.Metrics, key string) curve {
	c := curve{split: split}
	values := make([]float64, len(seeds))
	for e, n := range seeds[0] {
		for i := range seeds {
			values[i] = seeds[i][e].Get(key)
		}
		m := stats.Summarise(values)
		c.add(n.Epoch, m.Mean)
		c.sd = append(c.sd, m.SD)
	}
	return c
}
