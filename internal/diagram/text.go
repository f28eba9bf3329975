package diagram

import (
	"strings"
	"unicode"
)

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
	c := newCanvas(b.width, b.height)
	for _, s := range b.shapes {
		if s.kind == frameShape {
			c.frame(s)
		}
	}
	for _, s := range b.shapes {
		if s.kind == boxShape {
			c.box(s)
		}
	}
	for _, s := range b.shapes {
		if s.kind == lineShape {
			c.line(s)
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

type canvas struct {
	cells [][]cell
}

func newCanvas(width, height int) *canvas {
	c := &canvas{make([][]cell, height)}
	for y := range c.cells {
		c.cells[y] = make([]cell, width)
	}
	return c
}

// write puts a text at a position; combining marks stay with their character.
func (c *canvas) write(x, y int, text string) {
	x--
	for _, r := range text {
		if unicode.Is(unicode.Mn, r) {
			c.cells[y][x].text += string(r)
			continue
		}
		x++
		c.cells[y][x].text = string(r)
	}
}

// stroke draws between the middles of two cells, horizontally or vertically.
func (c *canvas) stroke(x, y, x2, y2 int) {
	for ; x < x2; x++ {
		c.cells[y][x].sides |= east
		c.cells[y][x+1].sides |= west
	}
	for ; y < y2; y++ {
		c.cells[y][x].sides |= south
		c.cells[y+1][x].sides |= north
	}
}

func (c *canvas) line(s shape) {
	if !s.arrow {
		c.stroke(s.x, s.y, s.x2, s.y2)
		return
	}
	tip := s.y2 - 1
	c.stroke(s.x, s.y, s.x2, tip)
	c.cells[tip][s.x].text = "▼"
}

func (c *canvas) box(s shape) {
	c.stroke(s.x, s.y, s.x2, s.y)
	c.stroke(s.x, s.y2, s.x2, s.y2)
	c.stroke(s.x, s.y, s.x, s.y2)
	c.stroke(s.x2, s.y, s.x2, s.y2)
	if s.box == Value {
		for _, corner := range []struct {
			x, y int
			text string
		}{{s.x, s.y, "╭"}, {s.x2, s.y, "╮"}, {s.x, s.y2, "╰"}, {s.x2, s.y2, "╯"}} {
			c.cells[corner.y][corner.x].text = corner.text
		}
	}
	for i, l := range s.text {
		room := s.x2 - s.x - 1
		c.write(s.x+1+(room-width(l))/2, s.y+1+i, l)
	}
}

func (c *canvas) frame(s shape) {
	for x := s.x + 1; x < s.x2; x++ {
		c.cells[s.y][x].dash, c.cells[s.y2][x].dash = '╌', '╌'
	}
	for y := s.y + 1; y < s.y2; y++ {
		c.cells[y][s.x].dash, c.cells[y][s.x2].dash = '╎', '╎'
	}
	c.cells[s.y][s.x].dash, c.cells[s.y][s.x2].dash = '┌', '┐'
	c.cells[s.y2][s.x].dash, c.cells[s.y2][s.x2].dash = '└', '┘'
	c.write(s.titleX, s.y, " "+s.text[0]+" ")
}

func (c *canvas) String() string {
	var out strings.Builder
	for _, row := range c.cells {
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
