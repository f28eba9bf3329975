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
	assert.Equal(t, "one two\n  three\n", Wrap("one  two three", 8, "  "))
	assert.Equal(t, "one two three\n", Wrap("one two three", 0, "  "))
}
