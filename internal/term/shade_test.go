package term

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		colorterm, term, system string
		want                    Depth
	}{
		{"truecolor", "xterm", "linux", TrueColor},
		{"24bit", "xterm-256color", "linux", TrueColor},
		{"", "xterm-direct", "linux", TrueColor},
		{"", "xterm-256color", "darwin", Colors256},
		{"", "screen-256color", "linux", Colors256},
		{"", "xterm", "linux", Mono},
		{"", "", "linux", Mono},
		{"", "", "windows", TrueColor},
		{"yes", "vt100", "windows", Mono},
	} {
		require.Equal(t, c.want, depth(c.colorterm, c.term, c.system), "%+v", c)
	}
	t.Setenv("COLORTERM", "truecolor")
	require.Equal(t, TrueColor, New(nil, nil, 80, true).Depth())
	require.Equal(t, Mono, New(nil, nil, 80, false).Depth(), "NO_COLOR")
}

func TestShade(t *testing.T) {
	o := New(nil, nil, 80, true)
	t.Setenv("COLORTERM", "truecolor")
	require.Equal(t, "\x1b[38;2;0;0;0;48;2;255;124;0mx\x1b[0m", written(o.Shade(1, "x")))
	require.Equal(t, o.Shade(1, "x"), o.Shade(7, "x"), "no more than all")
	for _, s := range []float64{0, -1, math.NaN()} {
		require.Equal(t, "x", o.Shade(s, "x"))
	}
	require.Equal(t, "", o.Shade(1, ""))
	t.Setenv("COLORTERM", "")
	t.Setenv("TERM", "xterm-256color")
	require.Equal(t, "\x1b[38;5;16;48;5;208mx\x1b[0m", written(o.Shade(1, "x")))
	require.Equal(t, "\x1b[38;5;16;48;5;247mx\x1b[0m", written(o.Shade(0.001, "x")))
	require.Equal(t, "\x1b[38;5;16;48;5;179mx\x1b[0m", written(o.Shade(0.5, "x")))
	steps := map[string]bool{}
	for _, s := range []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1} { // below 2, 2, 4, 8, 16, 32 times an equal share
		steps[o.Shade(s, "x")] = true
	}
	require.Len(t, steps, 6, "each doubling is a step")
	for strength, want := range map[float64]string{0.1: "x", 0.2: "[x]", 0.5: "[x]", 0.6: "[[x]]", 0.9: "[[x]]", 1: "[[[x]]]"} {
		require.Equal(t, want, New(nil, nil, 80, false).Shade(strength, "x"))
	}
	require.Equal(t, "{{x}}", New(nil, nil, 80, false).ShadeAgainst(0.7, "x"))
	require.Equal(t, "\x1b[38;5;16;48;5;39mx\x1b[0m", written(o.ShadeAgainst(1, "x")))
	t.Setenv("TERM", "linux")
	require.Equal(t, "[x]", o.Shade(0.3, "x"), "16 colours make no scale")
}

// written returns the bytes that reach the terminal.
func written(text string) string {
	var out strings.Builder
	New(&out, nil, 80, true).Printf("%s", text)
	return out.String()
}

func TestUnderline(t *testing.T) {
	require.Equal(t, "~x", New(nil, nil, 80, false).Underline("x"))
	o := New(nil, nil, 80, true)
	require.Equal(t, "\x1b[4mx\x1b[0m", written(o.Underline("x")))
	require.Equal(t, "\x1b[4m\x1b[1mx\x1b[0m", written(o.Underline(o.Paint(Bold, "x"))), "both")
	require.Equal(t, "", o.Underline(""))
}

// The scale keeps one lightness, so that black can be read on all of it.
func TestShadeContrast(t *testing.T) {
	for s := 0.0; s <= 1; s += 0.05 {
		for _, by := range []scale{warm, cold} {
			require.Greater(t, contrastWithBlack(by.at(s)), 7.0, "%v", by.at(s))
		}
	}
}

// contrastWithBlack is that of WCAG 2.1.
func contrastWithBlack(c [3]int) float64 {
	y := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(c[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		y += weight * v
	}
	return (y + 0.05) / 0.05
}

// What is shaded keeps its text and its width.
func TestShadeWidth(t *testing.T) {
	t.Setenv("COLORTERM", "truecolor")
	o := New(nil, nil, 80, true)
	text := o.Underline(o.Shade(0.5, "été"))
	require.Equal(t, 3, Width(text))
	require.Equal(t, 1, strings.Count(text, "été"), fmt.Sprintf("%q", text))
}
