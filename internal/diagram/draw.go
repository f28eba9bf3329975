package diagram

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
)

// The size of a character cell in an SVG, in its units.
const (
	cellWidth  = 7.5
	cellHeight = 15
	fontSize   = 13
	margin     = 4
)

// Colours are the CSS variables of the report's figures, with their light values as fallbacks, so
// that they follow a page's dark theme.
const (
	fg    = "var(--fig-fg,#222222)"
	muted = "var(--fig-muted,#666666)"
	bg    = "var(--fig-bg,#ffffff)"
	blue  = "var(--fig-blue,#0072b2)"
	warm  = "var(--fig-vermillion,#d55e00)"
)

var variable = regexp.MustCompile(`var\(--[a-z-]+,(#[0-9a-f]{6})\)`)

// File returns an SVG in plain colours. Readers other than browsers do not know CSS variables.
func File(svg string) string { return variable.ReplaceAllString(svg, "$1") }

// SVG returns the drawing as an <svg> element for a page; see File. It needs no style sheet, script
// or style attribute. The title and the description are for screen readers.
func SVG(n Node, title, description string) string {
	b := n.layout()
	w, h := float64(b.width)*cellWidth+2*margin, float64(b.height)*cellHeight+2*margin
	var body strings.Builder
	for _, kind := range []shapeKind{frameShape, lineShape, boxShape} {
		for _, s := range b.shapes {
			if s.kind == kind {
				s.svg(&body)
			}
		}
	}
	// A page may make it narrower.
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="%g" viewBox="0 0 %g %g" role="img" font-family="system-ui,Arimo,Arial,Helvetica,sans-serif" font-size="%d">
<title>%s</title>
<desc>%s</desc>
%s</svg>
`, w, w, h, fontSize, html.EscapeString(title), html.EscapeString(description), body.String())
}

// at returns the middle of a cell.
func at(x, y int) (float64, float64) {
	return margin + (float64(x)+0.5)*cellWidth, margin + (float64(y)+0.5)*cellHeight
}

func (s shape) svg(out *strings.Builder) {
	x, y := at(s.x, s.y)
	x2, y2 := at(s.x2, s.y2)
	switch s.kind {
	case lineShape:
		if s.arrow {
			const tip = 7
			fmt.Fprintf(out, `<path d="M%g %gl-4 -%d h8z" fill="%s"/>`+"\n", x2, y2, tip, muted)
			y2 -= tip - 1
		}
		fmt.Fprintf(out, `<path d="M%g %gL%g %g" stroke="%s" stroke-linecap="square" shape-rendering="crispEdges"/>`+"\n", x, y, x2, y2, muted)
	case frameShape:
		fmt.Fprintf(out, `<rect x="%g" y="%g" width="%g" height="%g" rx="8" fill="none" stroke="%s" stroke-dasharray="5 4"/>`+"\n", x, y, x2-x, y2-y, muted)
		left, _ := at(s.titleX, s.y)
		width := float64(s.titleW) * cellWidth * 0.92 // letters are narrower than cells
		fmt.Fprintf(out, `<rect x="%g" y="%g" width="%g" height="%d" fill="%s"/>`+"\n", left-cellWidth/2, y-cellHeight/2, width, cellHeight, bg)
		fmt.Fprintf(out, `<text x="%g" y="%g" fill="%s">%s</text>`+"\n", left+cellWidth/4, y+fontSize*0.35, muted, html.EscapeString(s.text[0]))
	case boxShape:
		stroke, dash, round := blue, "", 3
		switch s.box {
		case Value:
			stroke, round = muted, 10
		case Learned:
			stroke, dash = warm, ` stroke-width="1.6"`
		}
		fmt.Fprintf(out, `<rect x="%g" y="%g" width="%g" height="%g" rx="%d" fill="%s" stroke="%s"%s/>`+"\n", x, y, x2-x, y2-y, round, bg, stroke, dash)
		for i, l := range s.text {
			_, line := at(s.x, s.y+1+i)
			fmt.Fprintf(out, `<text x="%g" y="%g" text-anchor="middle" fill="%s">%s</text>`+"\n", (x+x2)/2, line+fontSize*0.35, fg, html.EscapeString(l))
		}
	}
}

// width returns the number of columns of a text: one for each character, none for combining marks.
func width(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.Is(unicode.Mn, r) {
			n++
		}
	}
	return n
}

// Text returns the drawing as lines of text, each with its end.
func Text(n Node) string {
	b := n.layout()
	c := make(canvas, b.height)
	for y := range c {
		c[y] = make([]cell, b.width)
	}
	for _, draw := range []struct {
		kind shapeKind
		one  func(shape)
	}{{frameShape, c.frame}, {boxShape, c.box}, {lineShape, c.line}} {
		for _, s := range b.shapes {
			if s.kind == draw.kind {
				draw.one(s)
			}
		}
	}
	return c.String()
}

// The sides of a cell that a line crosses.
const (
	north = 1 << iota
	east
	south
	west
)

// strokes are the box-drawing characters by the sides that they cross.
var strokes = [16]rune{
	0, '│', '─', '└', '│', '│', '┌', '├', '─', '┘', '─', '┴', '┐', '┤', '┬', '┼',
}

// cell is the content of one cell: text, strokes, or a dash of a frame.
type cell struct {
	text  string
	sides int
	dash  rune
}

type canvas [][]cell // rows

// write puts a text at a position; combining marks stay with their character.
func (c canvas) write(x, y int, text string) {
	x--
	for _, r := range text {
		if unicode.Is(unicode.Mn, r) {
			c[y][x].text += string(r)
			continue
		}
		x++
		c[y][x].text = string(r)
	}
}

// stroke draws between the middles of two cells, horizontally or vertically.
func (c canvas) stroke(x, y, x2, y2 int) {
	for ; x < x2; x++ {
		c[y][x].sides |= east
		c[y][x+1].sides |= west
	}
	for ; y < y2; y++ {
		c[y][x].sides |= south
		c[y+1][x].sides |= north
	}
}

func (c canvas) line(s shape) {
	if !s.arrow {
		c.stroke(s.x, s.y, s.x2, s.y2)
		return
	}
	tip := s.y2 - 1
	c.stroke(s.x, s.y, s.x2, tip)
	c[tip][s.x].text = "▼"
}

func (c canvas) box(s shape) {
	c.stroke(s.x, s.y, s.x2, s.y)
	c.stroke(s.x, s.y2, s.x2, s.y2)
	c.stroke(s.x, s.y, s.x, s.y2)
	c.stroke(s.x2, s.y, s.x2, s.y2)
	if s.box == Value {
		for _, corner := range []struct {
			x, y int
			text string
		}{{s.x, s.y, "╭"}, {s.x2, s.y, "╮"}, {s.x, s.y2, "╰"}, {s.x2, s.y2, "╯"}} {
			c[corner.y][corner.x].text = corner.text
		}
	}
	for i, l := range s.text {
		room := s.x2 - s.x - 1
		c.write(s.x+1+(room-width(l))/2, s.y+1+i, l)
	}
}

func (c canvas) frame(s shape) {
	for x := s.x + 1; x < s.x2; x++ {
		c[s.y][x].dash, c[s.y2][x].dash = '╌', '╌'
	}
	for y := s.y + 1; y < s.y2; y++ {
		c[y][s.x].dash, c[y][s.x2].dash = '╎', '╎'
	}
	c[s.y][s.x].dash, c[s.y][s.x2].dash = '┌', '┐'
	c[s.y2][s.x].dash, c[s.y2][s.x2].dash = '└', '┘'
	c.write(s.titleX, s.y, " "+s.text[0]+" ")
}

func (c canvas) String() string {
	var out strings.Builder
	for _, row := range c {
		var text strings.Builder
		for _, x := range row {
			switch {
			case x.text != "":
				text.WriteString(x.text)
			case x.sides != 0:
				text.WriteRune(strokes[x.sides])
			case x.dash != 0:
				text.WriteRune(x.dash)
			default:
				text.WriteByte(' ')
			}
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	return out.String()
}
