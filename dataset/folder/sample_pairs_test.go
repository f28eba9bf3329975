package folder_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/sample"
)

// In a swapped pair only the words that decide differ. In a negated
// one there is a "not" before the word that decides.
func TestMinimalPairs(t *testing.T) {
	require.Equal(t, "339456a4bebb3804089b86adff8394ad2b2a8aafa147fde62eda2a2f969dd98b", sample.MinimalPairs().Digest())
	_, test := sample.Reviews()
	p := sample.MinimalPairs()
	require.Equal(t, []string{"swapped", "negated"}, p.Sets())
	require.Greater(t, len(p.Pairs), len(test)+200)
	reviews := map[string]sample.Review{}
	for _, r := range test {
		reviews[strings.TrimPrefix(r.ID, "test/")] = r
	}
	for _, x := range p.Pairs {
		r := reviews[strings.TrimPrefix(x.ID, x.Set+"/")]
		require.Equal(t, r.Text, x.Original.Text)
		require.Equal(t, []string{"neg", "pos"}[1-r.Label], x.Rewritten.Label)
		words := strings.Fields(x.Rewritten.Text)
		if x.Set == "negated" {
			require.Equal(t, "not", words[r.Verdict[0]], x.Rewritten.Text)
			require.Equal(t, strings.Fields(r.Text), slices.Delete(words, r.Verdict[0], r.Verdict[0]+1))
			continue
		}
		for k, w := range strings.Fields(r.Text) {
			switch decides := len(r.Verdict) > 0 && r.Verdict[0] == k; {
			case decides:
				require.NotEqual(t, w, words[k], r.ID)
				r.Verdict = r.Verdict[1:]
			case w != "a" && w != "an":
				require.Equal(t, w, words[k])
			}
		}
	}
}
