package vectors

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// same checks one text against strconv.
func same(t assert.TestingT, s string) {
	want, err := strconv.ParseFloat(s, 32)
	got, n, gotErr := float32Of([]byte(s + " next"))
	if err != nil {
		assert.ErrorIs(t, gotErr, errRange, s)
		return
	}
	assert.NoError(t, gotErr, s)
	assert.Equal(t, len(s), n, s)
	assert.Equal(t, math.Float32bits(float32(want)), math.Float32bits(got), s)
}

func TestFloat32(t *testing.T) {
	for _, s := range []string{"0", "-0", "0.418", "-0.00066023", "+1", "1.", ".5", "4.0071", "1e5", "-1E-5", "1e+2",
		"16777216", "16777217", "16777219", "0.000000000000001", "9007199254740993", "12345678901234567890123",
		"1e-45", "7e-46", "1.17549435e-38", "1.1754943e-38", "3.4028235e38", "3.4028236e38", "1e39", "1e-400", "1e400", "1e99999999999",
		"16777217.0000000001", "16777216.9999999999", "0.50000002980232238769531250000001", strings.Repeat("1", 400), "0." + strings.Repeat("0", 400) + "1"} {
		same(t, s)
	}
	for s, want := range map[string]error{"": errSyntax, "-": errSyntax, ".": errSyntax, "x": errSyntax, "1e": errSyntax,
		"e5": errSyntax, "1e+": errSyntax, "nan": errRange, "-Inf": errRange, "_1": errSyntax} {
		_, _, err := float32Of([]byte(s))
		assert.ErrorIs(t, err, want, "%q", s)
	}
	v, n, err := float32Of([]byte("0x1p-2"))
	assert.Equal(t, float32(0), v)
	assert.Equal(t, 1, n)
	assert.NoError(t, err)
}

func TestAgainstStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float32().Draw(t, "f")
		if x := float64(f); !math.IsNaN(x) && !math.IsInf(x, 0) {
			same(t, strconv.FormatFloat(x, 'g', -1, 32))
			same(t, strconv.FormatFloat(x, 'e', rapid.IntRange(0, 25).Draw(t, "p"), 64))
		}
		same(t, fmt.Sprintf("%de%d", rapid.Int64().Draw(t, "m"), rapid.IntRange(-60, 60).Draw(t, "e")))
		same(t, fmt.Sprintf("%d.%05d", rapid.IntRange(-9, 9).Draw(t, "a"), rapid.IntRange(0, 99999).Draw(t, "b")))
		// Half way between two neighbours, and a digit more or less.
		u := rapid.Uint32Range(1, 0x7f7ffffe).Draw(t, "u")
		half := (float64(math.Float32frombits(u)) + float64(math.Float32frombits(u+1))) / 2
		s := strconv.FormatFloat(half, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += "."
		}
		same(t, s)
		same(t, s+"000000000000000000001")
	})
}

func FuzzFloat32(f *testing.F) {
	f.Add("0.418")
	f.Add("-1e-45x")
	f.Fuzz(func(t *testing.T, s string) {
		v, n, err := float32Of([]byte(s))
		if err != nil {
			return
		}
		want, werr := strconv.ParseFloat(s[:n], 32)
		assert.NoError(t, werr)
		assert.Equal(t, math.Float32bits(float32(want)), math.Float32bits(v), s[:n])
	})
}
