package figures

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// pairColours are the colours of the two runs.
var pairColours = [2]color.NRGBA{canvas.Green, canvas.Reddish}

// Pair returns a figure of two runs that differ in a setting: entropy of the
// attention and norm of the gradient over the epochs.
func Pair(key string, a, b *runs.Run) (canvas.Figure, error) {
	both := [2]*runs.Run{a, b}
	values := [2]string{a.Config.Setting(key), b.Config.Setting(key)}
	for i, r := range both {
		if values[i] == "" {
			return canvas.Figure{}, fmt.Errorf("%s has no setting %s", r.Label(), key)
		}
	}
	if values[0] == values[1] {
		return canvas.Figure{}, fmt.Errorf("%s and %s both have %s=%s: want two runs that differ in it", a.Label(), b.Label(), key, values[0])
	}
	entropy := pairPanel{title: "entropy of the attention", unit: "mean over heads (nats)"}
	norm := pairPanel{title: "norm of the gradient in training", unit: "mean over steps"}
	var errs []error
	for i, r := range both {
		epochs, err := r.Metrics()
		if err != nil {
			return canvas.Figure{}, fmt.Errorf("%s: %w", r.Label(), err)
		}
		train, test := curve{split: "train"}, curve{split: "test"}
		norm.train[i].split = "train"
		for k := range epochs {
			m := &epochs[k]
			train.add(m.Epoch, m.Get("train_entropy"))
			test.add(m.Epoch, m.Get("test_entropy"))
			norm.train[i].add(m.Epoch, m.Get("grad_norm"))
		}
		if len(train.xys())+len(test.xys()) == 0 {
			errs = append(errs, fmt.Errorf("%s has no entropies of attention to draw", r.Label()))
		}
		entropy.train[i], entropy.test[i] = train, test
	}
	if err := errors.Join(errs...); err != nil {
		return canvas.Figure{}, err
	}
	return pairFigure(key, both, values, entropy, norm), nil
}

// Others returns the settings, except the named one, in which two runs differ.
func Others(key string, a, b *runs.Config) []string {
	var out []string
	for _, s := range a.Settings {
		if s.Key != key && b.Setting(s.Key) != s.Value {
			out = append(out, s.Key)
		}
	}
	for _, s := range b.Settings {
		if s.Key != key && a.Setting(s.Key) == "" && s.Value != "" && !slices.Contains(out, s.Key) {
			out = append(out, s.Key)
		}
	}
	return out
}

func pairFigure(key string, both [2]*runs.Run, values [2]string, panels ...pairPanel) canvas.Figure {
	c := &both[0].Config
	f := canvas.Figure{Title: fmt.Sprintf("%s with %s=%s and %s=%s", c.Name, key, values[0], key, values[1]), Size: canvas.Page}
	if other := both[1].Config.Name; other != c.Name {
		f.Title = fmt.Sprintf("%s with %s=%s and %s with %s=%s", c.Name, key, values[0], other, key, values[1])
	}
	f.Name = format.FileName(fmt.Sprintf("%s-%s", key, c.Name))
	var about []string
	for i, r := range both {
		about = append(about, fmt.Sprintf("%s=%s: %s, seed %d, %d of %s", key, values[i], r.Label(), r.Config.Seed(), r.Status.Epoch, format.Counted(r.Config.Epochs(), "epoch")))
	}
	about = append(about, report.ReviewsTitle(c))
	if other := Others(key, c, &both[1].Config); len(other) > 0 {
		about = append(about, "they also differ in "+strings.Join(other, ", "))
	}
	f.Caption = strings.Join(about, " · ")
	for i := range both {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: key + "=" + values[i], Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.5, pairColours[i]) }})
	}
	f.Legend = append(f.Legend,
		canvas.LegendEntry{Name: "train", Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.3, canvas.Faint, 4.5, 2) }},
		canvas.LegendEntry{Name: "test", Line: func(s canvas.Style) draw.LineStyle { return s.Line(1.5, canvas.Faint) }})
	f.Panels = canvas.Panels(slices.DeleteFunc(panels, func(p pairPanel) bool { return !p.drawable() }))
	return f
}

// pairPanel is one number of two runs over the epochs, of train and of test.
type pairPanel struct {
	title, unit string
	train, test [2]curve
}

// wide is the ratio of the largest to the smallest value from which on a panel
// is logarithmic: otherwise steep norms of one run would flatten the other's.
const wide = 20

func (pp pairPanel) drawable() bool { return len(pp.points()) > 0 }

// points returns all that is drawn.
func (pp pairPanel) points() (all plotter.XYs) {
	for i := range pp.train {
		all = append(append(all, pp.train[i].xys()...), pp.test[i].xys()...)
	}
	return all
}

// Draw implements canvas.Panel.
func (pp pairPanel) Draw(s canvas.Style) *plot.Plot {
	p := s.Panel(pp.title, "epoch", pp.unit)
	p.Add(s.Net(false, true))
	shown := pp.ends()
	log := shown.low > 0 && shown.high > wide*shown.low
	for i := range pp.train {
		for _, c := range []curve{pp.train[i], pp.test[i]} {
			points := c.xys()
			if len(points) == 0 {
				continue
			}
			if log {
				points = canvas.Logs(points, false)
			}
			line := canvas.Curve(points, s.Line(1.5, pairColours[i]))
			if c.split == "train" {
				line.LineStyle = s.Line(1.3, pairColours[i], 4.5, 2)
			}
			p.Add(line)
			if len(points) == 1 {
				p.Add(canvas.Dots(s, points, line.LineStyle))
			}
		}
	}
	if log {
		p.Y.Tick.Marker = canvas.DecadeTicks{}
	}
	axis := scale{least: leastShare * math.Abs(shown.high)}.axis(shown)
	if log {
		axis = scale{}.axis(ends{p.Y.Min, p.Y.Max})
	}
	p.Y.Min, p.Y.Max = axis.low, axis.high
	first, last := int(p.X.Min), int(p.X.Max)
	p.X.Tick.Marker = canvas.WholeTicks(canvas.EpochTicks(first, last, 6), 1)
	if first == last { // of one epoch, in the middle
		p.X.Min, p.X.Max = p.X.Min-1, p.X.Max+1
	}
	return p
}

// leastShare is the span of an axis, at least, as a share of the largest value.
const leastShare = 0.1

// ends returns the smallest and the largest value.
func (pp pairPanel) ends() ends {
	e := ends{math.Inf(1), math.Inf(-1)}
	for _, xy := range pp.points() {
		e = e.with(ends{xy.Y, xy.Y})
	}
	return e
}
