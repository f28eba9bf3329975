package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"imdbexp/internal/fsx"
)

// Figure is one picture, drawn only when it is saved.
type Figure struct {
	Number  int    // in the published report; 0 when it has no counterpart there
	Name    string // file name without extension
	Title   string
	Caption string // the runs it shows and how they were set
	Notes   []Note // what a reader has to know about the numbers

	panels  func(style) ([]*plot.Plot, error)
	columns int // how many panels stand side by side; 0: all
	legend  []legendEntry
	size    Size // of Save
}

// legendEntry is one line of the legend, or one dot, or a line with a dot.
type legendEntry struct {
	name  string
	line  func(style) draw.LineStyle
	dot   bool             // no line
	shape draw.GlyphDrawer // of the dot; nil: a circle, or none on a line
}

// draw draws the sample of an entry from x on, and returns its width.
func (e legendEntry) draw(c draw.Canvas, s style, x, y vg.Length) vg.Length {
	sample, shape := 16*s.unit, e.shape
	if e.dot {
		sample = 6 * s.unit
		if shape == nil {
			shape = draw.CircleGlyph{}
		}
	} else {
		c.StrokeLine2(e.line(s), x, y, x+sample, y)
	}
	if shape != nil {
		c.DrawGlyph(draw.GlyphStyle{Color: e.line(s).Color, Radius: 2.2 * s.unit, Shape: shape}, vg.Point{X: x + sample/2, Y: y})
	}
	return sample
}

// Formats are the endings that Write knows.
var Formats = []string{"png", "svg"}

// Save writes the figure as NAME.png and NAME.svg, a page wide, into dir, which
// is made if need be, and returns the paths. One that cannot be drawn is a
// DrawError, and nothing of it is left.
func (f Figure) Save(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	drawn := make([]bytes.Buffer, len(Formats))
	for i, format := range Formats {
		if err := f.Write(&drawn[i], format, f.size); err != nil {
			return nil, &DrawError{fmt.Errorf("figure %s: %w", f.Name, err)}
		}
	}
	var paths []string
	for i, format := range Formats {
		path := filepath.Join(dir, f.Name+"."+format)
		if err := fsx.WriteBytes(path, drawn[i].Bytes()); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Write draws the figure at the given size as "png" or "svg".
func (f Figure) Write(w io.Writer, format string, size Size) (err error) {
	defer f.recovered(&err)
	switch format {
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(size.Width, size.Height), vgimg.UseDPI(size.DPI))
		if err := f.draw(draw.New(c), size.style()); err != nil {
			return err
		}
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	case "svg":
		c := &svgCanvas{Canvas: vgsvg.New(size.Width, size.Height)}
		if err := f.draw(draw.New(c), size.style()); err != nil {
			return err
		}
		text, err := c.file()
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, text)
		return err
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats, ", "))
}

// recovered, deferred, makes an error of a panic: the drawing library panics on
// what it cannot place, and what a run folder holds may be anything.
func (f Figure) recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s cannot be drawn: %v", f.Title, p)
	}
}

// draw lays out title, legend, panels and caption from top to bottom.
func (f Figure) draw(c draw.Canvas, s style) error {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 4*s.unit, -4*s.unit, 3*s.unit, -4*s.unit)

	title := s.text(10, ink)
	title.Font.Weight = 3 // bold, as golang.org/x/image/font counts
	c = f.lines(c, wrapTo(c, title, f.Title), title, true)
	caption := s.text(6.5, faint)
	c = f.lines(c, wrapTo(c, caption, f.Caption), caption, false)
	return f.drawBody(c, s)
}

// drawBody draws the legend and below it the panels.
func (f Figure) drawBody(c draw.Canvas, s style) error {
	panels, err := f.panels(s)
	if err != nil {
		return err
	}
	if len(f.legend) > 0 {
		c = draw.Crop(c, 0, 0, 0, -f.drawLegend(c, s))
	}
	c = draw.Crop(c, 0, 0, 3*s.unit, -3*s.unit)
	columns := f.columns
	if columns == 0 {
		columns = len(panels)
	}
	var rows [][]*plot.Plot
	for row := range slices.Chunk(panels, columns) {
		rows = append(rows, append(row, make([]*plot.Plot, columns-len(row))...))
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: columns, PadX: 10 * s.unit, PadY: 6 * s.unit}
	for i, canvases := range plot.Align(rows, tiles, c) {
		for j, canvas := range canvases {
			if p := rows[i][j]; p != nil {
				p.Draw(canvas)
			}
		}
	}
	return nil
}

// lines writes text at the top or the bottom of the canvas, left-aligned, and
// returns the rest of the canvas.
func (f Figure) lines(c draw.Canvas, lines []string, st draw.TextStyle, top bool) draw.Canvas {
	height := 1.35 * st.Font.Size
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
func (f Figure) drawLegend(c draw.Canvas, s style) vg.Length {
	st := s.text(8, ink)
	st.YAlign = draw.YCenter
	row := 12 * s.unit
	x, y := c.Min.X, c.Max.Y-row/2
	for _, e := range f.legend {
		if x > c.Min.X && x+19*s.unit+st.Width(e.name) > c.Max.X {
			x, y = c.Min.X, y-row
		}
		x += e.draw(c, s, x, y) + 3*s.unit
		c.FillText(st, vg.Point{X: x, Y: y}, e.name)
		x += st.Width(e.name) + 12*s.unit
	}
	return c.Max.Y - y + row/2
}

// wrapTo breaks a text at spaces so that each line fits the canvas.
func wrapTo(c draw.Canvas, st draw.TextStyle, txt string) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(txt) {
		if line != "" && st.Width(line+" "+word) > c.Max.X-c.Min.X {
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
