package term

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShade(t *testing.T) {
	o := New(nil, nil, 80, true)
	require.Equal(t, o.Shade(1, "x"), o.Shade(7, "x"), "no more than all")
	for _, s := range []float64{0, -1, math.NaN()} {
		require.Equal(t, "x", o.Shade(s, "x"))
	}
	require.Equal(t, "", o.Shade(1, ""))
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

// What is shaded keeps its text and its width.
func TestShadeWidth(t *testing.T) {
	o := New(nil, nil, 80, true)
	text := o.Underline(o.Shade(0.5, "été"))
	require.Equal(t, 3, Width(text))
	require.Equal(t, 1, strings.Count(text, "été"), fmt.Sprintf("%q", text))
}
