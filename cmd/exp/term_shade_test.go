package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

func TestShade(t *testing.T) {
	o := term.New(nil, nil, 80, true)
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
		require.Equal(t, want, term.New(nil, nil, 80, false).Shade(strength, "x"))
	}
	require.Equal(t, "{{x}}", term.New(nil, nil, 80, false).ShadeAgainst(0.7, "x"))
	require.Equal(t, "\x1b[38;5;16;48;5;39mx\x1b[0m", written(o.ShadeAgainst(1, "x")))
}

// written returns the bytes that reach the terminal.
func written(text string) string {
	var out strings.Builder
	term.New(&out, nil, 80, true).Printf("%s", text)
	return out.String()
}

func TestUnderline(t *testing.T) {
	require.Equal(t, "~x", term.New(nil, nil, 80, false).Underline("x"))
	o := term.New(nil, nil, 80, true)
	require.Equal(t, "\x1b[4mx\x1b[0m", written(o.Underline("x")))
	require.Equal(t, "\x1b[4m\x1b[1mx\x1b[0m", written(o.Underline(o.Paint(term.Bold, "x"))), "both")
	require.Equal(t, "", o.Underline(""))
}

func TestComplain(t *testing.T) {
	for width, want := range map[int]string{
		0:  "exp: no figure 17; known are\n   2  loss and accuracy\n",
		23: "exp: no figure 17;\n  known are\n   2  loss and accuracy\n",
		16: "exp: no figure\n  17; known are\n   2 loss and\n     accuracy\n",
	} {
		var err bytes.Buffer
		term.New(nil, &err, width, false).Complain("exp: no figure 17; known are\n   2  loss and accuracy\n")
		require.Equal(t, want, err.String(), width)
	}
}

func TestSystemNeedsNoTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	require.False(t, term.System().Color())
}

// All formats hold the same values. JSON types a column by all of its values, and an ID of digits is
// a text.
func TestRecords(t *testing.T) {
	r := term.Records{
		{"id", "acc", "paired", "name", "far"},
		{"123456789012", "81.5", "true", "1e5", "1e999"},
		{"00e512345678", "", "false", "a\tb\\c\"<é>\n", ""},
	}
	written := func(format string) string {
		var out strings.Builder
		require.NoError(t, r.Write(&out, format))
		return out.String()
	}
	require.Equal(t, "id\tacc\tpaired\tname\tfar\n123456789012\t81.5\ttrue\t1e5\t1e999\n00e512345678\t\tfalse\ta\\tb\\\\c\"<é>\\n\t\n", written("tsv"))
	require.Contains(t, written("csv"), "\"a\tb\\c\"\"<é>\n\",\n")
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(written("json")), &list))
	require.Equal(t, []map[string]any{
		{"id": "123456789012", "acc": 81.5, "paired": true, "name": "1e5", "far": "1e999"},
		{"id": "00e512345678", "acc": nil, "paired": false, "name": "a\tb\\c\"<é>\n", "far": nil},
	}, list)
	require.Contains(t, written("json"), `<é>`)
	r = r[:1]
	require.NoError(t, json.Unmarshal([]byte(written("json")), &list))
	require.Empty(t, list)
}
