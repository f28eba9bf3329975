// Package canvas lays out figures and writes them. A Figure has panels, a legend and a
// caption, in one style at every size. It is written as PNG, as SVG, or inline into an HTML
// page, with the colours of the page. The callers draw the panels.
package canvas

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
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
	Caption string   // what it shows, of which runs, and how they were set
	Runs    []string // these runs with their IDs: in the metadata, not in the picture
	Single  bool     // of one setting, not of several to compare
	NoTitle bool     // in files

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

// Formats are the endings that Write knows.
var Formats = []string{"png", "svg"}

// Save writes the figure into files, whose endings tell the format. If it cannot be drawn, the error is an Error and there
// are no files.
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
		c := vgimg.NewWith(vgimg.UseWH(size.Width, size.Height), vgimg.UseDPI(size.DPI), vgimg.UseBackgroundColor(Paper))
		f.draw(draw.New(c), size.Style())
		fast := png.Encoder{CompressionLevel: png.BestSpeed} // a third less time, for files that are 4 % larger
		var b bytes.Buffer
		if err := fast.Encode(&b, c.Image()); err != nil {
			return err
		}
		_, err := w.Write(described(b.Bytes(), f.Title, f.Description()))
		return err
	case "svg": // for any reader; fonts are stand-ins of the same widths for readers without the first one
		c := newSVGCanvas(size)
		c.SetColor(Paper)
		c.Fill(draw.New(c).Rectangle.Path())
		f.draw(draw.New(c), size.Style())
		_, err := fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%gpt" height="%gpt" viewBox="0 0 %d %d" font-family="Liberation Sans,Arimo,Arial,Helvetica,sans-serif">
<title>%s</title>
<desc>%s</desc>
%s</svg>
`, size.Width.Points(), size.Height.Points(), units(size.Width), units(size.Height), escaped(f.Title), escaped(f.Description()), c.out.String())
		return err
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats, ", "))
}

// Description returns the caption with the runs, for the metadata.
func (f Figure) Description() string {
	return strings.TrimSuffix(f.Caption+" · runs: "+strings.Join(f.Runs, ", "), " · runs: ")
}

// runID is the ID in the label of a run: tme9-lstm/0123456789ab.
var runID = regexp.MustCompile(`/[0-9a-f]{12}\b`)

// WithoutIDs returns a text as pictures show it, a run by its experiment alone.
func WithoutIDs(text string) string { return runID.ReplaceAllString(text, "") }

// described adds text chunks in UTF-8 to a PNG, behind its signature and header (PNG specification, 11.3.3.4).
func described(picture []byte, title, description string) []byte {
	const header = 8 + 25
	out := slices.Clone(picture[:header])
	for _, text := range [][2]string{{"Title", title}, {"Description", description}} {
		chunk := []byte("iTXt" + text[0] + "\x00\x00\x00\x00\x00" + strings.ReplaceAll(text[1], "\x00", ""))
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4)), chunk...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	}
	return append(out, picture[header:]...)
}

// recovered, deferred, turns a panic into an error. The drawing library panics on values
// that it cannot place, and a run folder may hold any values.
func (f Figure) recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s cannot be drawn: %v", f.Title, p)
	}
}

const (
	margin     = 4    // left and right of a figure, in units of the style
	boldWeight = 3    // as golang.org/x/image/font counts
	lineHeight = 1.35 // distance of two lines of a title or caption, in sizes of the font
)

// draw lays out title, legend, panels and caption from top to bottom.
func (f Figure) draw(c draw.Canvas, s Style) {
	c = draw.Crop(c, margin*s.Unit, -margin*s.Unit, 3*s.Unit, -4*s.Unit)
	title, caption := f.title(s, c.Max.X-c.Min.X), f.caption(s, c.Max.X-c.Min.X)
	title.write(c, c.Max.Y)
	caption.write(c, c.Min.Y+caption.height())
	f.drawBody(draw.Crop(c, 0, 0, caption.height(), -title.height()), s)
}

// paragraph is a text in lines.
type paragraph struct {
	draw.TextStyle
	lines []string
}

func (f Figure) title(s Style, width vg.Length) paragraph {
	title := s.Text(10, Ink)
	title.Font.Weight = boldWeight
	if f.NoTitle {
		return paragraph{}
	}
	return paragraph{title, wrapTo(width, title, WithoutIDs(f.Title))}
}

func (f Figure) caption(s Style, width vg.Length) paragraph {
	caption := s.Text(6.5, Faint)
	return paragraph{caption, wrapTo(width, caption, WithoutIDs(f.Caption))}
}

func (p paragraph) height() vg.Length { return vg.Length(len(p.lines)) * lineHeight * p.Font.Size }

// write writes the paragraph from y downwards, left-aligned.
func (p paragraph) write(c draw.Canvas, y vg.Length) {
	p.YAlign = draw.YTop
	for _, l := range p.lines {
		c.FillText(p.TextStyle, vg.Point{X: c.Min.X, Y: y}, l)
		y -= lineHeight * p.Font.Size
	}
}

// Inner returns the width inside the margins.
func (s Size) Inner() vg.Length { return s.Width - 2*margin*s.Style().Unit }

// around returns the height of what is above and below the panels.
func (f Figure) around(size Size) vg.Length {
	s := size.Style()
	return (3+4+3+3)*s.Unit + f.caption(s, size.Inner()).height() + f.title(s, size.Inner()).height()
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
		rows = append(rows, append(row, make([]*plot.Plot, columns-len(row))...)) // nil leaves a gap
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: columns, PadX: 10 * s.Unit, PadY: 6 * s.Unit}
	for i, canvases := range plot.Align(rows, tiles, c) {
		top := canvases[0].Max.Y
		for j, p := range rows[i] {
			if p == nil {
				continue
			}
			if f.Square { // crop at the right or the bottom
				data := p.DataCanvas(canvases[j]).Size()
				canvases[j] = draw.Crop(canvases[j], 0, -max(0, data.X-data.Y), max(0, data.Y-data.X), 0)
			}
			top = max(top, canvases[j].Max.Y)
		}
		for j, p := range rows[i] {
			if p == nil {
				continue
			}
			c := canvases[j]                // axes are level already; titles follow the highest, because labels may extend above an axis
			if t := p.Title; t.Text != "" { // as plot.Plot draws it
				c.FillText(t.TextStyle, vg.Point{X: c.Center().X, Y: top + t.TextStyle.FontExtents().Descent}, t.Text)
				c.Max.Y -= t.TextStyle.Rectangle(t.Text).Size().Y + t.Padding
				p.Title.Text = ""
			}
			p.Draw(c)
		}
	}
}

// drawLegend draws the legend at the top left, in as many rows as it needs, and
// returns its height.
func (f Figure) drawLegend(c draw.Canvas, s Style) vg.Length {
	st := s.Text(8, Ink)
	st.YAlign = draw.YCenter
	row := 12 * s.Unit
	x, y := c.Min.X, c.Max.Y-row/2
	for _, e := range f.Legend {
		e.Name = WithoutIDs(e.Name)
		if x > c.Min.X && x+19*s.Unit+st.Width(e.Name) > c.Max.X {
			x, y = c.Min.X, y-row
		}
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
		x += sample + 3*s.Unit
		c.FillText(st, vg.Point{X: x, Y: y}, e.Name)
		x += st.Width(e.Name) + 12*s.Unit
	}
	return c.Max.Y - y + row/2
}

// wrapTo breaks a text at spaces so that each line fits a width.
func wrapTo(width vg.Length, st draw.TextStyle, txt string) (lines []string) {
	for word := range strings.FieldsSeq(txt) {
		if n := len(lines); n > 0 && st.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Error is figures that could not be drawn. What they belong to is whole
// without them.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Lacks reports whether the font of figures lacks a character of a text.
func Lacks(text string) bool {
	st := Style{Unit: 1}.Text(8, Ink)
	f := st.Handler.Cache().Lookup(st.Font, st.Font.Size)
	return strings.ContainsFunc(text, func(r rune) bool {
		i, err := f.Face.GlyphIndex(nil, r)
		return err == nil && i == 0
	})
}
