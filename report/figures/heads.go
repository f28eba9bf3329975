package figures

import (
	"fmt"
	"slices"

	"imdbexp/report/canvas"
	"imdbexp/runs"
)

var _ = register(kind{name: "heads", shows: "entropy of the attention by layer and head", one: (*drawing).heads})

// maxHeads bounds the panels of a figure of layers and heads.
const maxHeads = 48

// headPlace is where a head stands, layer and head from 1.
type headPlace struct{ layer, head int }

// heads fills in the histograms of single layers and heads, a row a layer; false
// when the run has none. Of more than maxHeads the first layers are shown, each
// whole where one fits.
func (d *drawing) heads(f *canvas.Figure) bool {
	split, at := d.headRidges()
	layers, heads := 0, 0
	for p := range at {
		layers, heads = max(layers, p.layer), max(heads, p.head)
	}
	if heads == 0 {
		return false
	}
	rows, columns := min(layers, max(1, maxHeads/heads)), min(heads, maxHeads)
	f.Caption = " · " + split
	if rows < layers {
		f.Caption += fmt.Sprintf(" · the first %d of %d layers", rows, layers)
	}
	if columns < heads {
		f.Caption += fmt.Sprintf(" · the first %d of %d heads", columns, heads)
	}
	var panels []ridgePanel
	for l := 1; l <= rows; l++ {
		for h := 1; h <= columns; h++ {
			panels = append(panels, ridgePanel{title: fmt.Sprintf("layer %d head %d", l, h), colour: splitColours[split], ridges: at[headPlace{l, h}]})
		}
	}
	if columns == 1 { // layers side by side
		rows, columns = 1, rows
	}
	for i := range panels {
		panels[i].narrow = columns > 2
	}
	f.Columns, f.Shared, f.Size = columns, true, rowsOf(rows, 5, 2.5)
	return d.ridges(f, panels)
}

// headRidges returns the histograms of layers and heads of one split, test if there
// are any of it.
func (d *drawing) headRidges() (split string, at map[headPlace][]runs.Histogram) {
	histograms := d.histograms()
	split = "test"
	if !slices.ContainsFunc(histograms, func(h runs.Histogram) bool { return h.Where != "" && h.Split == split }) {
		split = "train"
	}
	at = map[headPlace][]runs.Histogram{}
	for _, h := range histograms {
		var p headPlace
		// The whole text must fit: "layer 1 head 2 of log n" is another number.
		n, _ := fmt.Sscanf(h.Where, "layer %d head %d", &p.layer, &p.head)
		if n == 2 && h.Where == fmt.Sprintf("layer %d head %d", p.layer, p.head) && min(p.layer, p.head) > 0 && h.Split == split {
			at[p] = append(at[p], h)
		}
	}
	return split, at
}
