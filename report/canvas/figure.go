// Package canvas lays out figures and writes them. A Figure has panels, a legend and a
// caption, in one style at every size. It is written as PNG, as SVG, or inline into an HTML
// page, with the colours of the page. The callers draw the panels.
package canvas

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"imdbexp/internal/fsx"
)

// Figure is one picture, drawn only when it is saved.
type Figure struct {
	Number  int    // in the published report; 0 when it has no counterpart there
	Other   string // the data of one with a number, where it is not the published report's
	Name    string // file name without extension
	Title   string
	Caption string // the runs it shows and how they were set
	Single  bool   // of one setting, not of several to compare
	NoTitle bool   // in files

	Panels  func(Style) []*plot.Plot
	Columns int  // how many panels stand side by side; 0: all
	Square  bool // the panels' data areas
	Shared  bool // the panels have the same axes: only those at the left and at the bottom name them
	Legend  []LegendEntry
	Size    Size      // of Save
	Body    vg.Length // height of the panels, if they need one: the figure's follows from it
}

// LegendEntry is one line of the legend, or one dot, or a line with a dot.
type LegendEntry struct {
	Name  string
	Line  func(Style) draw.LineStyle
	Dot   bool             // no line
	Shape draw.GlyphDrawer // of the dot; nil: a circle, or none on a line
}

// draw draws the sample of an entry from x on, and returns its width.
func (e LegendEntry) draw(c draw.Canvas, s Style, x, y vg.Length) vg.Length {
	sample, shape := 16*s.Unit, e.Shape
	if e.Dot {
		sample = 6 * s.Unit
		if shape == nil {
			shape = draw.CircleGlyph{}
		}
	} else {
		c.StrokeLine2(e.Line(s), x, y, x+sample, y)
	}
	if shape != nil {
		c.DrawGlyph(draw.GlyphStyle{Color: e.Line(s).Color, Radius: 2.2 * s.Unit, Shape: shape}, vg.Point{X: x + sample/2, Y: y})
	}
	return sample
}

// Formats are the endings that Write knows.
var Formats = []string{"png", "svg"}

// Save writes the figure into files, whose endings tell the format. It draws all before it writes one.
// If the figure cannot be drawn, it returns an Error and leaves no files.
func (f Figure) Save(files ...string) error {
	drawn := make([]bytes.Buffer, len(files))
	for i, file := range files {
		if err := f.Write(&drawn[i], strings.ToLower(filepath.Ext(file)[1:]), f.Size); err != nil {
			return &Error{fmt.Errorf("figure %s: %w", f.Name, err)}
		}
	}
	for i, file := range files {
		if err := fsx.WriteBytes(file, drawn[i].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Write draws the figure at the given size as "png" or "svg".
func (f Figure) Write(w io.Writer, format string, size Size) (err error) {
	defer f.recovered(&err)
	if f.Body > 0 {
		size.Height = f.Body + f.around(size)
	}
	switch format {
	case "png":
		c := pngCanvas{vgimg.NewWith(vgimg.UseWH(size.Width, size.Height), vgimg.UseDPI(size.DPI))}
		f.draw(draw.New(c), size.Style())
		_, err := vgimg.PngCanvas{Canvas: c.Canvas}.WriteTo(w)
		return err
	case "svg":
		c := newSVGCanvas(size)
		c.plain = true
		f.draw(draw.New(c), size.Style())
		_, err := fmt.Fprintf(w, svgFile, size.Width.Points(), size.Height.Points(), units(size.Width), units(size.Height), c.out.String())
		return err
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats, ", "))
}

// svgFile is a file that any reader can draw. Its fonts are stand-ins of the same widths for
// readers without the first one.
const svgFile = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%gpt" height="%gpt" viewBox="0 0 %d %d" font-family="Liberation Sans,Arimo,Arial,Helvetica,sans-serif">
%s</svg>
`

// recovered, deferred, turns a panic into an error. The drawing library panics on values
// that it cannot place, and a run folder may hold any values.
func (f Figure) recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s cannot be drawn: %v", f.Title, p)
	}
}

// draw lays out title, legend, panels and caption from top to bottom.
func (f Figure) draw(c draw.Canvas, s Style) {
	c.SetColor(Paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin*s.Unit, -margin*s.Unit, 3*s.Unit, -4*s.Unit)
	if !f.NoTitle {
		title := s.title()
		c = f.lines(c, wrapTo(c.Max.X-c.Min.X, title, f.Title), title, true)
	}
	caption := s.caption()
	c = f.lines(c, wrapTo(c.Max.X-c.Min.X, caption, f.Caption), caption, false)
	f.drawBody(c, s)
}

// margin is left and right of a figure, in units of the style.
const margin = 4

func (s Style) caption() draw.TextStyle { return s.Text(6.5, Faint) }

func (s Style) title() draw.TextStyle {
	title := s.Text(10, Ink)
	title.Font.Weight = boldWeight
	return title
}

// boldWeight is bold, as golang.org/x/image/font counts.
const boldWeight = 3

// Inner returns the width inside the margins.
func (s Size) Inner() vg.Length { return s.Width - 2*margin*s.Style().Unit }

// around returns the height of what is above and below the panels.
func (f Figure) around(size Size) vg.Length {
	s := size.Style()
	height := (3 + 4 + 3 + 3) * s.Unit
	caption, title := s.caption(), s.title()
	height += vg.Length(len(wrapTo(size.Inner(), caption, f.Caption))) * lineHeight * caption.Font.Size
	if !f.NoTitle {
		height += vg.Length(len(wrapTo(size.Inner(), title, f.Title))) * lineHeight * title.Font.Size
	}
	return height
}

// drawBody draws the legend and below it the panels.
func (f Figure) drawBody(c draw.Canvas, s Style) {
	panels := f.Panels(s)
	if len(f.Legend) > 0 {
		c = draw.Crop(c, 0, 0, 0, -f.drawLegend(c, s))
	}
	c = draw.Crop(c, 0, 0, 3*s.Unit, -3*s.Unit)
	columns := f.Columns
	if columns == 0 {
		columns = len(panels)
	}
	for i, p := range panels {
		if f.Shared && p != nil && i+columns < len(panels) {
			p.X.Label.Text = ""
		}
		if f.Shared && p != nil && i%columns > 0 {
			p.Y.Label.Text = ""
		}
	}
	var rows [][]*plot.Plot
	for row := range slices.Chunk(panels, columns) {
		rows = append(rows, append(row, make([]*plot.Plot, columns-len(row))...))
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: columns, PadX: 10 * s.Unit, PadY: 6 * s.Unit}
	for i, canvases := range plot.Align(rows, tiles, c) {
		for j, p := range rows[i] {
			if f.Square && p != nil {
				canvases[j] = squared(p, canvases[j])
			}
		}
		drawRow(rows[i], canvases)
	}
}

// squared crops a canvas, at the right or the bottom, to make the data area of its plot a
// square.
func squared(p *plot.Plot, c draw.Canvas) draw.Canvas {
	data := p.DataCanvas(c).Size()
	return draw.Crop(c, 0, -max(0, data.X-data.Y), max(0, data.Y-data.X), 0)
}

// drawRow draws panels side by side; nil leaves a gap. Their axes are level already. Their
// titles are aligned with the highest one, because labels may extend above an axis.
func drawRow(row []*plot.Plot, canvases []draw.Canvas) {
	top := canvases[0].Max.Y
	for j, p := range row {
		if p != nil {
			top = max(top, canvases[j].Max.Y)
		}
	}
	for j, p := range row {
		if p == nil {
			continue
		}
		c := canvases[j]
		if t := p.Title; t.Text != "" { // as plot.Plot draws it
			c.FillText(t.TextStyle, vg.Point{X: c.Center().X, Y: top + t.TextStyle.FontExtents().Descent}, t.Text)
			c.Max.Y -= t.TextStyle.Rectangle(t.Text).Size().Y + t.Padding
			p.Title.Text = ""
		}
		p.Draw(c)
	}
}

// lineHeight is the distance of two lines of a title or caption, in sizes of the font.
const lineHeight = 1.35

// lines writes text at the top or the bottom of the canvas, left-aligned, and
// returns the rest of the canvas.
func (f Figure) lines(c draw.Canvas, lines []string, st draw.TextStyle, top bool) draw.Canvas {
	height := lineHeight * st.Font.Size
	total := vg.Length(len(lines)) * height
	y := c.Min.Y + total
	if top {
		y = c.Max.Y
	}
	st.YAlign = draw.YTop
	for _, l := range lines {
		c.FillText(st, vg.Point{X: c.Min.X, Y: y}, l)
		y -= height
	}
	if top {
		return draw.Crop(c, 0, 0, 0, -total)
	}
	return draw.Crop(c, 0, 0, total, 0)
}

// drawLegend draws the legend at the top left, in as many rows as it needs, and
// returns its height.
func (f Figure) drawLegend(c draw.Canvas, s Style) vg.Length {
	st := s.Text(8, Ink)
	st.YAlign = draw.YCenter
	row := 12 * s.Unit
	x, y := c.Min.X, c.Max.Y-row/2
	for _, e := range f.Legend {
		if x > c.Min.X && x+19*s.Unit+st.Width(e.Name) > c.Max.X {
			x, y = c.Min.X, y-row
		}
		x += e.draw(c, s, x, y) + 3*s.Unit
		c.FillText(st, vg.Point{X: x, Y: y}, e.Name)
		x += st.Width(e.Name) + 12*s.Unit
	}
	return c.Max.Y - y + row/2
}

// wrapTo breaks a text at spaces so that each line fits a width.
func wrapTo(width vg.Length, st draw.TextStyle, txt string) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(txt) {
		if line != "" && st.Width(line+" "+word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Error is figures that could not be drawn. What they belong to is whole
// without them.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// pngCanvas is vgimg's with a box for each character that the font lacks. vgimg leaves a gap.
type pngCanvas struct{ *vgimg.Canvas }

// FillString implements vg.Canvas.
func (c pngCanvas) FillString(f font.Face, p vg.Point, text string) {
	from := 0
	for at, r := range text {
		if !lacks(f, r) {
			continue
		}
		c.Canvas.FillString(f, p, text[from:at])
		p.X += f.Width(text[from:at])
		from = at + len(string(r))
		width, height := f.Width(string(r)), f.Font.Size
		box := vg.Rectangle{Min: p.Add(vg.Point{X: width / 10}), Max: p.Add(vg.Point{X: 0.9 * width, Y: 0.7 * height})}
		c.SetLineWidth(height / 16)
		c.SetLineDash(nil, 0)
		c.Stroke(box.Path())
		p.X += width
	}
	c.Canvas.FillString(f, p, text[from:])
}

func lacks(f font.Face, r rune) bool {
	i, err := f.Face.GlyphIndex(nil, r)
	return err == nil && i == 0
}

// Lacks reports whether the font of figures lacks a character of a text.
func Lacks(text string) bool {
	st := Style{Unit: 1}.Text(8, Ink)
	f := st.Handler.Cache().Lookup(st.Font, st.Font.Size)
	for _, r := range text {
		if lacks(f, r) {
			return true
		}
	}
	return false
}
