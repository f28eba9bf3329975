package figures

import (
	"fmt"
	"strings"

	"imdbexp/report/tables"
)

// trendPanels returns a panel for each number that any line has. Numbers of one kind, such as
// accuracies, share an axis and so compare, unless one of them would look flat on it.
func trendPanels(lines []trendLine, x string, ys []tables.Number, classes int) (panels []linePanel, shown []tables.Number, oneAxis bool) {
	kinds := map[string][]ends{}
	for i, y := range ys {
		p := linePanel{title: y.Title, x: x, y: strings.TrimSuffix(fmt.Sprintf("%s (%s)", strings.ToLower(y.Title), y.Unit), " ()"), epochs: x == overEpochs, margin: true}
		for k, l := range lines {
			if points := l.points[i]; len(points) > 0 {
				p.lines = append(p.lines, seriesLine(l.name, k, points))
			}
		}
		if len(p.lines) == 0 {
			continue
		}
		across, up := p.extent()
		if !p.epochs && across.low > 0 && across.high/across.low >= 8 { // the values span decades
			p.log, p.x = true, x+" (logarithmic)"
		}
		switch kindOf(y) {
		case "acc":
			p.scale = accuracyScale(classes)
		case "loss":
			p.scale = lossScale(classes)
		case "norm":
			p.logY = up.low > 0 && up.high > wide*up.low
		}
		kinds[kindOf(y)] = append(kinds[kindOf(y)], up)
		panels, shown = append(panels, p), append(shown, y)
	}
	oneAxis = true
	for i := range panels {
		p := &panels[i]
		if axis, serves := p.scale.joint(kinds[kindOf(shown[i])]); serves {
			p.axis = axis
		} else {
			oneAxis = false
		}
		if len(panels) == 1 {
			p.title = "" // the figure has it
		}
	}
	return panels, shown, oneAxis
}

// kindOf returns the kind of a number without its split: acc, loss, entropy.
func kindOf(y tables.Number) string { return y.Name[strings.LastIndex(y.Name, "_")+1:] }
