package canvas

import (
	"fmt"
	"hash/fnv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
)

// Inline figures are narrower and taller than Page. Their text stays readable on a phone,
// which shows them at half the size.
const (
	inlineWidth  = 12 * vg.Centimeter
	inlineHeight = 0.8  // of the height in files without title and caption
	inlineUnit   = 0.92 // of the style
)

// Inline returns the figure as an <svg> element for an HTML page. It is as wide as its
// parent element and uses the page's font and the colours of CSS (without that sheet, the
// light ones). It needs no style attribute or script, which a content security policy may
// forbid. Title and caption are not drawn, because the page shows them as text; they are in
// <title> and <desc> for screen readers.
func (f Figure) Inline() (svg string, err error) {
	defer f.recovered(&err)
	size := f.Size
	if size == (Size{}) {
		size = Page
	}
	size.Width, size.Height = inlineWidth*size.Width/Page.Width, inlineHeight*(size.Height-1.2*vg.Centimeter)
	c := newSVGCanvas(size)
	body := draw.Crop(draw.New(c), 2, -4, 1, -2)
	f.drawBody(body, Style{Unit: inlineUnit})
	id := f.id(c.out.String())
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 %d %d" role="img" aria-labelledby="%[3]s-title %[3]s-desc">
<title id="%[3]s-title">%[4]s</title>
<desc id="%[3]s-desc">%[5]s</desc>
%[6]s</svg>
`, units(size.Width), units(size.Height), id, escaped(f.Title), escaped(f.Caption), c.out.String()), nil
}

// id returns a name for the figure that no other on a page has: figures of one
// name differ in caption or drawing.
func (f Figure) id(drawing string) string {
	h := fnv.New32a()
	h.Write([]byte(f.Title + "\n" + f.Caption + "\n" + drawing))
	return fmt.Sprintf("fig-%s-%08x", format.FileName(f.Name), h.Sum32())
}
