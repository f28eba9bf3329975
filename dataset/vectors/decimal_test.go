package vectors

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFloat32Of(t *testing.T) {
	for s, want := range map[string]float32{"0": 0, "0.418": 0.418, "-0.00066023": -0.00066023, "+1": 1, "1.": 1, ".5": 0.5,
		"-1E-5": -1e-5, "16777217": 16777216, "1e-400": 0, "12345678901234567890123": 12345678901234567890123} {
		got, err := float32Of([]byte(s))
		assert.NoError(t, err, s)
		assert.Equal(t, want, got, s)
	}
	for s, want := range map[string]error{"": errSyntax, "-": errSyntax, "x": errSyntax, "1e": errSyntax, "_1": errSyntax, "1_0": errSyntax,
		"0x1p-2": errSyntax, "1 2": errSyntax, "nan": errRange, "-Inf": errRange, "1e39": errRange, "1e400": errRange} {
		_, err := float32Of([]byte(s))
		assert.ErrorIs(t, err, want, "%q", s)
	}
}
