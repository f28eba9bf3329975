package attend

import (
	"bytes"
	"testing"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models/counts"

	"github.com/stretchr/testify/require"
)

// A text without an n-gram that train has gets no table with nothing but a head.
func TestContributionsOfNothing(t *testing.T) {
	var out bytes.Buffer
	v := &infer.View{Explained: &counts.Explanation{For: 1}}
	io := term.New(&out, &out, 80, false)
	require.Nil(t, newWordTable([]string{"neg", "pos"}, v, 10, io.Underline))
	v.Explained.Terms = []counts.Term{{Name: "good", Sum: 0.5}}
	newWordTable([]string{"neg", "pos"}, v, 10, io.Underline).Text(io, "")
	require.Contains(t, out.String(), "good")
}
