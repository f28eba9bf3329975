package report_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/format"
)

func TestDecimals(t *testing.T) {
	assert.Equal(t, "0.00", format.Fixed(-0.001, 2), "no −0.00")
	assert.Equal(t, "0", format.Fixed(-0.4, 0))
	assert.Equal(t, "−0.001", format.Fixed(-0.001, 3))
	assert.Equal(t, "8.6e+32", format.Fixed(8.6e32, 3))
	assert.Equal(t, "−1.23e+07", format.Fixed(-12345678, 3))
	assert.Equal(t, "1000000.000", format.Fixed(1e6, 3))
	assert.Equal(t, format.None, format.Fixed(math.Inf(1), 2))
	assert.Equal(t, format.None, format.Optional(nil, 2))
	assert.Equal(t, "−0.29", format.Signed(-0.29))
	assert.Equal(t, "+0.00", format.Signed(-0.001))
	assert.Equal(t, "+1.50", format.Signed(1.5))
	assert.Equal(t, format.None, format.Signed(math.NaN()))
	assert.Equal(t, "+2.00 to –", format.FromTo(2, math.NaN()))
	for v, want := range map[float64]string{0: "+0.00", -0.0038: "−0.004", 0.0038: "+0.004", 0.00012: "+0.0001", -0.005001: "−0.01", 0.00004: "just above 0", -1e-17: "just below 0"} {
		assert.Equal(t, want+" to +3.00", format.FromTo(v, 3))
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 25402: "25 402", 1234567: "1 234 567", -1000: "-1 000", -100: "-100"} {
		assert.Equal(t, want, format.Thousands(n))
	}
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 2000: "2 000 runs"} {
		assert.Equal(t, want, format.Counted(n, "run"))
	}
	for x, want := range map[float64]string{0: "0", 12.4: "12", 999.4: "999", 999.6: "1.00 k", 12345: "12.3 k", 670123: "670 k", 1.5e6: "1.50 M", 2e9: "2.00 G", 5e12: "5000 G"} {
		assert.Equal(t, want, format.SI(x), "%g", x)
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 84_125_825: "84.1 MB", 5_000_000_000: "5.0 GB"} {
		assert.Equal(t, want, format.Bytes(n))
	}
}

func TestClockAndShare(t *testing.T) {
	for s, want := range map[float64]string{0: "0.0 s", 9.94: "9.9 s", 9.96: "10 s", 99.6: "1:40 min", 130: "2:10 min", 3599.6: "1:00 h", 3725: "1:02 h"} {
		assert.Equal(t, want, format.Clock(s), "%g", s)
	}
	for p, want := range map[float32]string{1: "100 %", 0.99951: "100 %", 0.1234: "12.3 %", 0.09994: "9.99 %", 0.0001: "0.01 %", 0.00001: "<0.01 %", 0: "0.00 %"} {
		assert.Equal(t, want, format.Share(p))
	}
}
