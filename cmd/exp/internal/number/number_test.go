package number

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 12.4: "12", 999.4: "999", 999.6: "1.00 k", 12345: "12.3 k", 670123: "670 k", 1.5e6: "1.50 M", 2e9: "2.00 G", 5e12: "5000 G"} {
		require.Equal(t, want, SI(x), "%g", x)
	}
	for s, want := range map[float64]string{0: "0.0 s", 9.94: "9.9 s", 9.96: "10 s", 99.6: "1:40 min", 130: "2:10 min", 3599.6: "1:00 h", 3725: "1:02 h"} {
		require.Equal(t, want, Clock(s), "%g", s)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 25402: "25 402", 1234567: "1 234 567", -1234: "-1 234"} {
		require.Equal(t, want, Thousands(n))
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 84_125_825: "84.1 MB", 5_000_000_000: "5.0 GB"} {
		require.Equal(t, want, Bytes(n))
	}
	for p, want := range map[float32]string{1: "100 %", 0.99951: "100 %", 0.1234: "12.3 %", 0.09994: "9.99 %", 0.0001: "0.01 %", 0.00001: "<0.01 %", 0: "0.00 %"} {
		require.Equal(t, want, Share(p))
	}
}
