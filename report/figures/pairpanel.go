package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/picture"
)

// pairPanel is one number of two runs over the epochs, of train and of test.
type pairPanel struct {
	title, unit string
	train, test [2]curve
}

// wide is the ratio of the largest to the smallest value from which on a panel
// is logarithmic: beside one run's steep norms the other's would lie flat.
const wide = 20

func (pp pairPanel) drawable() bool { return len(pp.points()) > 0 }

// points returns all that is drawn.
func (pp pairPanel) points() (all plotter.XYs) {
	for i := range pp.train {
		all = append(append(all, pp.train[i].xys()...), pp.test[i].xys()...)
	}
	return all
}

func (pp pairPanel) draw(s picture.Style) (*plot.Plot, error) {
	p := s.Panel(pp.title, "epoch", pp.unit)
	net := plotter.NewGrid()
	net.Vertical = draw.LineStyle{}
	net.Horizontal = s.Line(0.5, picture.Hairline)
	p.Add(net)
	low, high := pp.ends()
	log := low > 0 && high > wide*low
	for i := range pp.train {
		for _, c := range []curve{pp.train[i], pp.test[i]} {
			points := c.xys()
			if len(points) == 0 {
				continue
			}
			if log {
				points = picture.Logs(points, false)
			}
			line, err := plotter.NewLine(points)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", pp.title, err)
			}
			line.LineStyle = s.Line(1.5, pairColours[i])
			if c.split == "train" {
				line.LineStyle = s.Line(1.3, pairColours[i], 4.5, 2)
			}
			p.Add(line)
			if len(points) == 1 {
				p.Add(picture.Dots(s, points, line.LineStyle))
			}
		}
	}
	if log {
		p.Y.Tick.Marker = picture.DecadeTicks{}
	}
	margin := max(0.04*(p.Y.Max-p.Y.Min), 1e-6)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	first, last := int(p.X.Min), int(p.X.Max)
	p.X.Tick.Marker = picture.WholeTicks(picture.EpochTicks(first, last, 6), 1)
	if first == last { // of one epoch, in the middle
		p.X.Min, p.X.Max = p.X.Min-1, p.X.Max+1
	}
	return p, nil
}

// ends returns the least and the largest value.
func (pp pairPanel) ends() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, xy := range pp.points() {
		low, high = min(low, xy.Y), max(high, xy.Y)
	}
	return low, high
}
