package canvas

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// affine is the map (x, y) → (a·x + c·y + e, b·x + d·y + f).
type affine struct {
	a, b, c, d float64
	e, f       vg.Length
}

func (t affine) apply(p vg.Point) vg.Point {
	return vg.Point{
		X: vg.Length(t.a)*p.X + vg.Length(t.c)*p.Y + t.e,
		Y: vg.Length(t.b)*p.X + vg.Length(t.d)*p.Y + t.f,
	}
}

// rotated, translated and scaled return what first does that, then t.
func (t affine) rotated(angle float64) affine {
	sin, cos := math.Sincos(angle)
	return affine{
		t.a*cos + t.c*sin, t.b*cos + t.d*sin,
		t.c*cos - t.a*sin, t.d*cos - t.b*sin, t.e, t.f,
	}
}

func (t affine) translated(p vg.Point) affine {
	moved := t.apply(p)
	t.e, t.f = moved.X, moved.Y
	return t
}

func (t affine) scaled(x, y float64) affine {
	t.a, t.b, t.c, t.d = t.a*x, t.b*x, t.c*y, t.d*y
	return t
}

// angle returns by how much t turns, in radians.
func (t affine) angle() float64 { return math.Atan2(t.b, t.a) }

// length returns how long t makes a length of one.
func (t affine) length() float64 { return math.Hypot(t.a, t.b) }

// data returns a path as the d attribute has it. Lines are relative to the point
// before as it was written, so that rounding does not add up.
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
// would be the same point, which SVG leaves out.
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
	radius := units(comp.Radius * vg.Length(c.to.length()))
	for i := range parts {
		x, y := at(comp.Start + comp.Angle*float64(i+1)/float64(parts))
		d.to('A', radius, radius, 0, 0, sweep, x, y)
	}
}

// pathData writes the commands of a path. A command is left out where it is the
// one before, and a space where a minus sign parts the numbers.
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

// line writes a line; one of no length is left out.
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
