package canvas

import (
	"math"
	"math/cmplx"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// similarity is the map z → turn·z + shift of points as complex numbers. Plots need no other
// maps: Scale uses one factor for both axes.
type similarity struct{ turn, shift complex128 }

func (t similarity) apply(p vg.Point) vg.Point {
	z := t.turn*number(p) + t.shift
	return vg.Point{X: vg.Length(real(z)), Y: vg.Length(imag(z))}
}

func number(p vg.Point) complex128 { return complex(float64(p.X), float64(p.Y)) }

// data returns a path in the syntax of the d attribute. Lines are relative to the
// previous point after rounding, so that rounding errors do not add up.
func (c *svgCanvas) data(p vg.Path) string {
	var d pathData
	for _, comp := range p {
		x, y := c.place(comp.Pos)
		switch comp.Type {
		case vg.MoveComp:
			d.to('M', x, y)
		case vg.LineComp:
			d.line(x, y)
		case vg.CurveComp:
			var at []int
			for _, control := range comp.Control {
				x, y := c.place(control)
				at = append(at, x, y)
			}
			command := byte('Q')
			if len(comp.Control) == 2 {
				command = 'C'
			}
			d.to(command, append(at, x, y)...)
		case vg.ArcComp:
			c.arc(&d, comp)
		case vg.CloseComp:
			d.to('Z')
			d.x, d.y = d.startX, d.startY
		}
	}
	return d.String()
}

// arc writes an arc in parts of at most half a turn: the ends of one whole turn
// would be the same point, and SVG draws no such arc.
func (c *svgCanvas) arc(d *pathData, comp vg.PathComp) {
	at := func(angle float64) (x, y int) {
		sin, cos := math.Sincos(angle)
		return c.place(vg.Point{X: comp.Pos.X + comp.Radius*vg.Length(cos), Y: comp.Pos.Y + comp.Radius*vg.Length(sin)})
	}
	if x, y := at(comp.Start); !d.begun {
		d.to('M', x, y)
	} else {
		d.line(x, y)
	}
	parts := int(math.Ceil(math.Abs(comp.Angle)/math.Pi - 1e-9))
	sweep := 0 // counterclockwise, as positive angles turn
	if comp.Angle < 0 {
		sweep = 1
	}
	radius := units(comp.Radius * vg.Length(cmplx.Abs(c.to.turn)))
	for i := range parts {
		x, y := at(comp.Start + comp.Angle*float64(i+1)/float64(parts))
		d.to('A', radius, radius, 0, 0, sweep, x, y)
	}
}

// pathData writes the commands of a path. It omits a command that repeats the
// previous one, and a space where a minus sign separates the numbers.
type pathData struct {
	strings.Builder
	last           byte
	begun          bool
	x, y           int // where the last command ended
	startX, startY int // of the subpath
}

// to writes a command of absolute coordinates that ends at the last two numbers.
func (d *pathData) to(command byte, numbers ...int) {
	d.command(command, numbers)
	if n := len(numbers); n >= 2 {
		d.x, d.y = numbers[n-2], numbers[n-1]
	}
	if command == 'M' {
		d.startX, d.startY = d.x, d.y
	}
}

// line writes a line. It omits a line of length 0.
func (d *pathData) line(x, y int) {
	if dx, dy := x-d.x, y-d.y; dx != 0 || dy != 0 {
		d.command('l', []int{dx, dy})
		d.x, d.y = x, y
	}
}

func (d *pathData) command(command byte, numbers []int) {
	part := d.begun && command == d.last && command != 'M'
	if !part {
		d.WriteByte(command)
	}
	for i, n := range numbers {
		if (part || i > 0) && n >= 0 {
			d.WriteByte(' ')
		}
		d.WriteString(strconv.Itoa(n))
	}
	d.last, d.begun = command, true
}
