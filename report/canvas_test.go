package report_test

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
)

func TestTicks(t *testing.T) {
	var labels []string
	for _, tick := range (canvas.Ticks{N: 6}).Ticks(0.0713, 0.62) {
		labels = append(labels, tick.Label)
	}
	assert.Equal(t, []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}, labels)
	assert.Empty(t, canvas.Ticks{N: 6}.Ticks(1, 1))
	assert.Empty(t, canvas.Ticks{N: 6}.Ticks(math.NaN(), 1))

	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		span := rapid.Float64Range(1e-3, 1e6).Draw(t, "span")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		got := canvas.Ticks{N: n}.Ticks(low, low+span)
		assert.LessOrEqual(t, len(got), n+1)
		for _, tick := range got {
			assert.True(t, tick.Value >= low-1e-6*span && tick.Value <= low+span+1e-6*span)
		}
	})
}

func TestDecadeTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{80, 2100, "100 200 500 1000 2000"}, {0.011, 0.3, "0.02 0.05 0.1 0.2"}, {1, 10, "1 2 5 10"}, {0.0009, 11, "0.001 0.01 0.1 1 10"}, {0.9e-6, 3e-6, "1e-06 2e-06"},
	} {
		var labels []string
		for _, t := range (canvas.DecadeTicks{}).Ticks(math.Log10(c.low), math.Log10(c.high)) {
			labels = append(labels, t.Label)
		}
		assert.Equal(t, c.want, strings.Join(labels, " "))
	}
}

func TestEpochTicks(t *testing.T) {
	for last, want := range map[int]string{42: "1 10 20 30 42", 100: "1 20 40 60 80 100", 4: "1 2 3 4", 1: "1"} {
		var labels []string
		for _, t := range canvas.EpochTicks(1, last, 1) {
			labels = append(labels, t.Label)
		}
		assert.Equal(t, want, strings.Join(labels, " "))
	}
}

func TestWritePanicsNever(t *testing.T) {
	f := canvas.Figure{Title: "t", Panels: func(canvas.Style) []*plot.Plot { panic("no font") }}
	assert.ErrorContains(t, f.Write(io.Discard, "png", reporttest.SmallPicture), "no font")
}

// Titles of panels side by side are level, also where a dot sticks out above one's axis.
func TestTitlesAreLevel(t *testing.T) {
	f := canvas.Figure{Title: "t", Panels: func(s canvas.Style) []*plot.Plot {
		plain, dotted := s.Panel("plain", "x", "y"), s.Panel("dotted", "x", "y")
		dot, err := plotter.NewScatter(plotter.XYs{{X: 0.5, Y: 1}})
		require.NoError(t, err)
		dot.Radius = 5 * s.Unit
		dotted.Add(dot)
		for _, a := range []*plot.Axis{&plain.X, &plain.Y, &dotted.X, &dotted.Y} {
			a.Min, a.Max = 0, 1
		}
		return []*plot.Plot{plain, dotted}
	}}
	var b strings.Builder
	require.NoError(t, f.Write(&b, "svg", reporttest.SmallPicture))
	height := func(title string) string {
		m := regexp.MustCompile(`y="([-0-9.]+)"[^>]*>\s*` + title + `<`).FindStringSubmatch(b.String())
		require.NotNil(t, m, b.String())
		return m[1]
	}
	require.Equal(t, height("plain"), height("dotted"))
}

// The label stands where no line passes.
func TestLevelKeepsClear(t *testing.T) {
	for name, c := range map[string]struct {
		y           float64
		left, below bool
		around      plotter.XYs
	}{
		"alone":               {50, false, false, nil},
		"at the top":          {99, false, true, nil},
		"a curve ends above":  {50, false, true, plotter.XYs{{X: 0, Y: 90}, {X: 9.5, Y: 54}}},
		"and another below":   {50, true, false, plotter.XYs{{X: 9.5, Y: 54}, {X: 9.5, Y: 46}}},
		"all but left, below": {50, true, true, plotter.XYs{{X: 0.5, Y: 54}, {X: 9.5, Y: 54}, {X: 9.5, Y: 46}}},
		"nowhere is free":     {50, false, false, plotter.XYs{{X: 0.5, Y: 54}, {X: 9.5, Y: 54}, {X: 0.5, Y: 46}, {X: 9.5, Y: 46}}},
	} {
		var drawn recorder.Canvas
		p := plot.New()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 100
		l := canvas.Level{Y: c.y, Label: "chance", Text: canvas.Style{Unit: 1}.Text(6.5, canvas.Faint), Around: c.around}
		l.Plot(draw.NewCanvas(&drawn, 200, 100), p)
		var at *recorder.FillString
		for _, a := range drawn.Actions {
			if f, ok := a.(*recorder.FillString); ok {
				at = f
			}
		}
		require.NotNil(t, at, name)
		require.Equal(t, c.left, at.Point.X < 100, name)
		require.Equal(t, c.below, at.Point.Y < vg.Length(c.y), name)
	}
}

// Text stands out from the ground by 4.5 to 1 and lines on dark ground by 3 to 1
// (WCAG 2.2, 1.4.3 and 1.4.11).
func TestThemeContrast(t *testing.T) {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	luminance := func(c color.NRGBA) float64 {
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	contrast := func(a, b color.NRGBA) float64 {
		x, y := luminance(a), luminance(b)
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	lights, darks := map[string]color.NRGBA{}, map[string]color.NRGBA{}
	for ground, colours := range map[string]map[string]color.NRGBA{":root,[data-theme=light]{": lights, "\n[data-theme=dark]{": darks} {
		_, list, _ := strings.Cut(canvas.CSS(), ground)
		list, _, _ = strings.Cut(list, "}")
		for _, m := range regexp.MustCompile(`--fig-(\w+):#(\w{6})`).FindAllStringSubmatch(list, -1) {
			n, err := strconv.ParseUint(m[2], 16, 32)
			require.NoError(t, err)
			colours[m[1]] = color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
		}
	}
	require.Len(t, lights, 10)
	require.Len(t, darks, 10)
	for name, light := range lights {
		dark := darks[name]
		switch name {
		case "bg", "grid":
			continue
		case "fg", "muted":
			assert.GreaterOrEqual(t, contrast(light, lights["bg"]), 4.5, name)
			assert.GreaterOrEqual(t, contrast(dark, darks["bg"]), 4.5, name)
		default:
			assert.GreaterOrEqual(t, contrast(dark, darks["bg"]), 3.0, name)
		}
	}
}

func TestInlineCanvas(t *testing.T) {
	size, mark := canvas.Size{Width: 300, Height: 200}, canvas.Page.Style().Text(8, canvas.Ink)
	written := func(paint func(c *draw.Canvas)) string {
		f := canvas.Figure{Panels: func(canvas.Style) []*plot.Plot {
			p := plot.New()
			p.Add(canvas.Plotter(func(c draw.Canvas, _ *plot.Plot) {
				c.FillText(mark, vg.Point{}, "begin")
				c.Push()
				c.Translate(vg.Point{Y: size.Height - 50}) // as on a canvas of this height
				paint(&c)
				c.Pop()
				c.FillText(mark, vg.Point{}, "end")
			}))
			return []*plot.Plot{p}
		}}
		var b strings.Builder
		require.NoError(t, f.Write(&b, "svg", size))
		m := regexp.MustCompile(`(?s)>begin</text>(.*)<text[^>]*>end</text>`).FindStringSubmatch(b.String())
		require.NotNil(t, m, b.String())
		return strings.TrimSpace(m[1])
	}
	var turn, shapes vg.Path
	turn.Move(vg.Point{X: 30, Y: 20})
	turn.Arc(vg.Point{X: 20, Y: 20}, 10, 0, 2*math.Pi)
	turn.Close()
	shapes.Move(vg.Point{X: 0, Y: 0})
	shapes.QuadTo(vg.Point{X: 1, Y: 1}, vg.Point{X: 2, Y: 0})
	shapes.CubeTo(vg.Point{X: 1, Y: 0}, vg.Point{X: 1, Y: 1}, vg.Point{X: 3, Y: 0})
	st := canvas.Page.Style().Text(8, canvas.Ink)
	st.Rotation = math.Pi / 2
	for name, c := range map[string]struct {
		paint func(c *draw.Canvas)
		want  string
	}{
		"y points down": {func(c *draw.Canvas) {
			c.StrokeLine2(draw.LineStyle{Color: canvas.Blue, Width: 1}, 10, 10, 20, 30)
		}, `<path d="M100 400L200 200" fill="none" stroke="#0072b2" stroke-width="10"/>`},
		"dashes": {func(c *draw.Canvas) {
			c.StrokeLine2(draw.LineStyle{Color: canvas.Blue, Width: 0.55, Dashes: []vg.Length{4.5, 2}, DashOffs: 1}, 0, 0, 1, 0)
		}, `<path d="M0 500L10 500" fill="none" stroke="#0072b2" stroke-width="5.5" stroke-dasharray="45 20" stroke-dashoffset="10"/>`},
		"no width": {func(c *draw.Canvas) { c.StrokeLine2(draw.LineStyle{Color: canvas.Blue}, 0, 0, 1, 0) }, ""},
		"a whole turn is two arcs": {func(c *draw.Canvas) { c.SetColor(canvas.Ink); c.Fill(turn) },
			`<path d="M300 300L300 300A100 100 0 0 0 100 300A100 100 0 0 0 300 300Z" fill="#222222"/>`},
		"curves": {func(c *draw.Canvas) { c.SetColor(canvas.Ink); c.Fill(shapes) },
			`<path d="M0 500Q10 490 20 500C10 500 10 490 30 500" fill="#222222"/>`},
		"moved and scaled, then restored": {func(c *draw.Canvas) {
			c.Push()
			c.Translate(vg.Point{X: 10, Y: 10})
			c.Scale(2, 2)
			c.StrokeLine2(draw.LineStyle{Color: canvas.Ink, Width: 1}, 0, 0, 5, 0)
			c.Pop()
			c.StrokeLine2(draw.LineStyle{Color: canvas.Ink, Width: 1}, 0, 0, 5, 0)
		}, `<path d="M100 400L200 400" fill="none" stroke="#222222" stroke-width="10"/>` + "\n" +
			`<path d="M0 500L50 500" fill="none" stroke="#222222" stroke-width="10"/>`},
		"upright text": {func(c *draw.Canvas) { c.FillText(st, vg.Point{X: 50, Y: 10}, "a<b") },
			fmt.Sprintf(`<text transform="translate(500 400) rotate(-90.00)" font-size="80" fill="#222222" textLength="%d" lengthAdjust="spacingAndGlyphs">a&lt;b</text>`,
				int(math.Round(10*mark.Width("a<b").Points())))},
	} {
		got := written(c.paint)
		if name == "upright text" { // where its baseline lies is the font's
			got = regexp.MustCompile(`translate\(\d+ \d+\)`).ReplaceAllString(got, "translate(500 400)")
		}
		assert.Equal(t, c.want, got, name)
	}
}
