package compare

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report/stats"
)

// A p next to 0.05 can be seen to be on the side that the verdict is on.
func TestProbabilityTellsItsSide(t *testing.T) {
	for p, want := range map[float64]string{
		0.04986: "0.0499", 0.0495: "0.0495", 0.04949: "0.049", 0.05: "0.0500", 0.05004: "0.0500", 0.05049: "0.0505", 0.0505: "0.051",
		0.049999: "<0.05", math.Nextafter(0.05, 0): "<0.05", 0.00005: "<0.0001", 0.2: "0.200",
	} {
		assert.Equal(t, want, probability(p), "%v", p)
	}
}

// So can the end of an interval next to 0, in the table and in the sentence.
func TestTableTellsTheSideOfZero(t *testing.T) {
	c := &Comparison{First: "A", Second: "B", Seeds: [2]int{1, 1}, Reviews: 25000, Only: [2]int{9, 3}, Difference: -0.5, Interval: stats.Interval{Low: -0.99, High: -0.0038}, P: 0.04986, Adjusted: 0.04986, Method: "a test"}
	var text, md bytes.Buffer
	require.NoError(t, Table{c}.Text(&text, 0, false))
	require.NoError(t, Table{c}.Markdown(&md))
	for _, out := range []string{text.String(), md.String()} {
		assert.Contains(t, out, "−0.99 to −0.004")
		assert.Contains(t, out, "p = 0.0499")
		assert.Contains(t, out, "worse")
	}
}
