package canvas

import (
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

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
