package format

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormat(t *testing.T) {
	assert.Equal(t, "−0.29", Signed(-0.29))
	assert.Equal(t, "+0.00", Signed(-0.001))
	assert.Equal(t, "+1.50", Signed(1.5))
	assert.Equal(t, None, Signed(math.NaN()))
	assert.Equal(t, None, Percent(math.Inf(1)))
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 25000: "25 000", 1234567: "1 234 567", -1000: "-1 000", -100: "-100"} {
		assert.Equal(t, want, Thousands(n))
	}
	assert.Equal(t, "0.00", Fixed(-0.001, 2), "no −0.00")
	assert.Equal(t, "0", Fixed(-0.4, 0))
	assert.Equal(t, "−0.001", Fixed(-0.001, 3))
	assert.Equal(t, "8.6e+32", Fixed(8.6e32, 3))
	assert.Equal(t, "−1.23e+07", Fixed(-12345678, 3))
	assert.Equal(t, "1000000.000", Fixed(1e6, 3))
	assert.Equal(t, "+2.00 to –", FromTo(2, math.NaN()))
	for v, want := range map[float64]string{0: "+0.00", -0.0038: "−0.004", 0.0038: "+0.004", 0.00012: "+0.0001", -0.005001: "−0.01", 0.00004: "just above 0", -1e-17: "just below 0"} {
		assert.Equal(t, want+" to +3.00", FromTo(v, 3))
	}
	assert.Equal(t, "one two\n  three\n", Wrap("one  two three", 8, "  "))
	assert.Equal(t, "one two three\n", Wrap("one two three", 0, "  "))
}
