package chart

import (
	"fmt"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/report/canvas"
)

// Part is a part of a text without blanks. Its shade goes from −1, against, to 1, for; 0 is unshaded.
type Part struct {
	Text  string
	Shade float64
	Faint bool // the model does not see it
}

const (
	shadedPoints = 9.5
	shadedLine   = 1.75 // height of a line, in sizes of the font
)

// Shaded draws a text, its words shaded, in lines. Each piece is a word between blanks.
func Shaded(name, title, caption string, pieces [][]Part) (canvas.Figure, error) {
	size := canvas.Size{Width: 16 * vg.Centimeter, DPI: canvas.Page.DPI}
	t := shadedText{size.Style(), pieces}
	f := canvas.Figure{Name: name, Title: title, Caption: caption, Single: true, Size: size, Panels: func(s canvas.Style) []*plot.Plot {
		p := plot.New()
		p.HideAxes()
		p.X.Padding, p.Y.Padding = 0, 0
		p.Add(shadedText{s, pieces})
		return []*plot.Plot{p}
	}}
	lines := t.place(size.Inner(), func(string, Part, vg.Length, vg.Length, int) {})
	if lines > maxShadedLines {
		return f, fmt.Errorf("a picture of the text would have %d lines, more than %d; a page has room for it", lines, maxShadedLines)
	}
	f.Body = (vg.Length(lines)*shadedLine + 1) * t.font().Font.Size
	return f, nil
}

// maxShadedLines bounds the memory of a picture: 1 000 lines are some 18 000 words and 180 MB.
const maxShadedLines = 1000

// shadedText draws the pieces.
type shadedText struct {
	style  canvas.Style
	pieces [][]Part
}

func (t shadedText) font() draw.TextStyle { return t.style.Text(shadedPoints, canvas.Ink) }

// Plot implements plot.Plotter.
func (t shadedText) Plot(c draw.Canvas, _ *plot.Plot) {
	font := t.font()
	font.YAlign = draw.YBottom
	height := font.Font.Size
	t.place(c.Max.X-c.Min.X, func(text string, p Part, x, width vg.Length, line int) {
		at := vg.Point{X: c.Min.X + x, Y: c.Max.Y - vg.Length(line+1)*shadedLine*height}
		if p.Shade != 0 {
			colour := canvas.Vermillion
			if p.Shade < 0 {
				colour = canvas.Blue
			}
			box := vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - height/4}, Max: vg.Point{X: at.X + width, Y: at.Y + 1.15*height}}
			c.SetColor(canvas.Faded(colour, 0.75*max(p.Shade, -p.Shade)))
			c.Fill(box.Path())
		}
		style := font
		if p.Faint {
			style.Color = canvas.Faint
		}
		c.FillText(style, at, text)
	})
}

// place wraps the pieces to a width and calls f for each part, or for each line of a part that is
// wider. It returns the number of lines.
func (t shadedText) place(width vg.Length, f func(text string, p Part, x, width vg.Length, line int)) (lines int) {
	font, x := t.font(), vg.Length(0)
	blank := font.Width("n n") - font.Width("nn")
	for _, piece := range t.pieces {
		whole := vg.Length(0)
		for _, p := range piece {
			whole += font.Width(p.Text)
		}
		if x > 0 && x+whole > width {
			x = 0
			lines++
		}
		for _, p := range piece {
			for text := p.Text; text != ""; {
				n := fitting(font, text, width-x)
				if n == 0 && x > 0 {
					x = 0
					lines++
					continue
				}
				if n == 0 {
					n = len(text)
				}
				w := font.Width(text[:n])
				f(text[:n], p, x, w, lines)
				x += w
				text = text[n:]
			}
		}
		x += blank
	}
	return lines + 1
}

// fitting returns how many bytes of a text fit a width, in whole characters with their marks.
func fitting(font draw.TextStyle, text string, width vg.Length) int {
	fits, w := 0, vg.Length(0)
	for at, r := range text {
		if at > 0 && !unicode.Is(unicode.M, r) {
			fits = at
		}
		if w += font.Width(string(r)); w > width {
			return fits
		}
	}
	return len(text)
}
