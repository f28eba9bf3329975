package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
)

// Part is a part of a text without blanks. Its shade is from −1, against, to 1, for; 0 is none.
type Part struct {
	Text  string
	Shade float64
	Faint bool // the model does not see it
}

const (
	shadedPoints  = 9.5
	shadedLine    = 1.75 // heights of a line
	shadedMargins = 26   // of the width, in points
)

// Shaded draws a text, its words shaded, in lines. Each piece is what stands between two blanks.
func Shaded(name, title, caption string, pieces [][]Part) (canvas.Figure, canvas.Size) {
	f := canvas.Figure{Name: name, Title: title, Caption: caption, Single: true, Panels: func(s canvas.Style) ([]*plot.Plot, error) {
		p := plot.New()
		p.HideAxes()
		p.Add(shadedText{s, pieces})
		return []*plot.Plot{p}, nil
	}}
	size := canvas.Size{Width: 16 * vg.Centimeter, DPI: canvas.Page.DPI}
	s := canvas.Style{Unit: 1}
	_, lines := shadedText{s, pieces}.place(size.Width-shadedMargins, nil)
	size.Height = vg.Length(lines)*shadedLine*vg.Points(shadedPoints) + 1.6*vg.Centimeter
	f.Size = size
	return f, size
}

// shadedText draws the pieces.
type shadedText struct {
	style  canvas.Style
	pieces [][]Part
}

// Plot implements plot.Plotter.
func (t shadedText) Plot(c draw.Canvas, _ *plot.Plot) {
	text := t.style.Text(shadedPoints, canvas.Ink)
	text.YAlign = draw.YBottom
	height := text.Font.Size
	t.place(c.Max.X-c.Min.X, func(p Part, x, width vg.Length, line int) {
		at := vg.Point{X: c.Min.X + x, Y: c.Max.Y - vg.Length(line+1)*shadedLine*height}
		if p.Shade != 0 {
			colour := canvas.Vermillion
			if p.Shade < 0 {
				colour = canvas.Blue
			}
			box := vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - height/4}, Max: vg.Point{X: at.X + width, Y: at.Y + 1.15*height}}
			c.SetColor(canvas.Tint(colour, 1-0.75*max(p.Shade, -p.Shade)))
			c.Fill(box.Path())
		}
		style := text
		if p.Faint {
			style.Color = canvas.Faint
		}
		c.FillText(style, at, p.Text)
	})
}

// place wraps the pieces to a width and calls f, which may be nil, for each part.
func (t shadedText) place(width vg.Length, f func(p Part, x, width vg.Length, line int)) (x vg.Length, lines int) {
	text := t.style.Text(shadedPoints, canvas.Ink)
	blank := text.Width("n n") - text.Width("nn")
	for _, piece := range t.pieces {
		whole := vg.Length(0)
		for _, p := range piece {
			whole += text.Width(p.Text)
		}
		if x > 0 && x+whole > width {
			x = 0
			lines++
		}
		for _, p := range piece {
			w := text.Width(p.Text)
			if f != nil {
				f(p, x, w, lines)
			}
			x += w
		}
		x += blank
	}
	return x, lines + 1
}
