package explain

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// A table that is too wide goes on below, with the names of its rows again.
func TestTablesFit(t *testing.T) {
	table := term.NewTable(term.Column{}, term.Column{Head: "τ", Right: true}, term.Column{Head: "significant", Right: true}, term.Column{Head: "top-10 overlap", Right: true})
	table.Add("gradient × input", "0.569 ± 0.039", "0.975 (0.871–0.996)", "0.802 ± 0.044")
	table.Add("random", "−0.006 ± 0.041", "0.125 (0.055–0.261)", "0.233 ± 0.038")
	for width, parts := range map[int]int{0: 1, 80: 1, 60: 2, 40: 3} { // at 20 columns it is a list
		var out bytes.Buffer
		printTable(term.New(&out, nil, width, false), table)
		require.Equal(t, parts, strings.Count(out.String(), "gradient × input"), width)
		for _, cell := range table.Rows[1][1:] {
			require.Equal(t, 1, strings.Count(out.String(), cell.Text), "%s at %d", cell.Text, width)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if width > 0 {
				require.LessOrEqual(t, term.Width(line), width)
			}
		}
	}
}
