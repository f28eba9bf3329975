package diagram

import (
	"fmt"
	"math"
	"strings"
)

// Bars is a distribution over a few words, drawn as a row of bars.
type Bars struct {
	Name    string
	Heights []float64 // from 0 to 1
	Note    string
}

// eighths are blocks of rising height.
var eighths = []rune(" ▁▂▃▄▅▆▇█")

// BarsText returns the rows as lines of text: the name, bars two rows high, the note.
func BarsText(rows []Bars) string {
	names := 0
	for _, r := range rows {
		names = max(names, width(r.Name))
	}
	var out strings.Builder
	for i, r := range rows {
		var upper, lower strings.Builder
		for _, h := range r.Heights {
			n := int(math.Round(16 * min(1, max(0, h)))) // eighths of a row
			if n == 0 && h > 0 {
				n = 1
			}
			upper.WriteRune(eighths[max(0, n-8)])
			lower.WriteRune(eighths[min(8, n)])
			upper.WriteByte(' ')
			lower.WriteByte(' ')
		}
		pad := strings.Repeat(" ", names)
		if above := strings.TrimRight(pad+"  "+upper.String(), " "); i > 0 || above != "" {
			fmt.Fprintln(&out, above)
		}
		fmt.Fprintf(&out, "%s%s  %s %s\n", r.Name, pad[width(r.Name):], lower.String(), r.Note)
	}
	return out.String()
}

// BarsSVG returns the rows next to each other as an <svg> element.
func BarsSVG(rows []Bars, title, description string) string {
	const (
		bar, gap, high = 12, 4, 90
		between        = 24
		top            = 26 // room for the name
	)
	var body strings.Builder
	x := 0
	for _, r := range rows {
		w := max(len(r.Heights)*(bar+gap)-gap, 8*width(r.Note), 8*width(r.Name))
		middle := x + w/2
		left := middle - (len(r.Heights)*(bar+gap)-gap)/2
		fmt.Fprintf(&body, `<text x="%d" y="14" text-anchor="middle" fill="%s">%s</text>`+"\n", middle, fg, escaped(r.Name))
		for i, h := range r.Heights {
			tall := high * min(1, max(0, h))
			fmt.Fprintf(&body, `<rect x="%d" y="%.4g" width="%d" height="%.4g" fill="%s"/>`+"\n", left+i*(bar+gap), top+high-tall, bar, tall, blue)
		}
		fmt.Fprintf(&body, `<path d="M%d %dh%d" stroke="%s" shape-rendering="crispEdges"/>`+"\n", x, top+high, w, muted)
		fmt.Fprintf(&body, `<text x="%d" y="%d" text-anchor="middle" fill="%s">%s</text>`+"\n", middle, top+high+18, muted, escaped(r.Note))
		x += w + between
	}
	return element(float64(max(0, x-between)), top+high+26, title, description, body.String())
}
