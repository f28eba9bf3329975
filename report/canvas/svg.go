package canvas

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is vgsvg's with texts as wide in whatever font the reader has as in the
// library's own, by whose widths they were placed: titles end inside the picture.
type svgCanvas struct {
	*vgsvg.Canvas
	texts []string // the beginning of each text element, in drawing order
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, p vg.Point, text string) {
	begin := "<text"
	if utf8.RuneCountInString(text) > 1 {
		begin += fmt.Sprintf(` textLength="%.5g" lengthAdjust="spacingAndGlyphs"`, f.Width(text).Points())
	}
	c.texts = append(c.texts, begin)
	c.Canvas.FillString(f, p, text)
}

// file returns the whole drawing.
func (c *svgCanvas) file() (string, error) {
	var b strings.Builder
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return "", err
	}
	parts := strings.Split(portableFonts(b.String()), "<text") // escaped in the texts themselves
	b.Reset()
	b.WriteString(parts[0])
	for i, text := range c.texts {
		b.WriteString(text + parts[i+1])
	}
	return b.String(), nil
}

// portableFonts names stand-ins of the same widths for readers without the
// Liberation fonts; vgsvg names that family alone, and a browser would fall
// back to a serif face.
func portableFonts(svg string) string {
	return strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;")
}
