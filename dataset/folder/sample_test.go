package sample_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/sample"
)

// The shipped corpus: a change of any byte changes results everywhere, and takes
// a new result version.
const shipped = "d1ec601c807e13214871d1c3564f161159ff9c9e4532b7bc47e40c5e9c1f8872"

func digest(splits ...[]sample.Review) string {
	h := sha256.New()
	for _, reviews := range splits {
		for _, r := range reviews {
			fmt.Fprintf(h, "%s\t%d\t%v\t%s\n", r.ID, r.Label, r.Verdict, r.Text)
		}
		io.WriteString(h, "\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestShippedCorpusNeverChanges(t *testing.T) {
	train, test := sample.Reviews()
	assert.Equal(t, shipped, digest(train, test))
}

// The rationale of a review of the sample is its verdict.
func TestRationale(t *testing.T) {
	_, test := sample.Reviews()
	i := 0
	require.NoError(t, sample.Source{}.Reviews(context.Background(), func(p dataset.Part, r dataset.Review) error {
		if p != dataset.Test {
			return nil
		}
		words := strings.Split(r.Text, " ")
		require.Len(t, r.Rationale, len(test[i].Verdict))
		for k, s := range r.Rationale {
			require.Equal(t, words[test[i].Verdict[k]], r.Text[s.Start:s.End])
		}
		i++
		return nil
	}))
	require.Equal(t, len(test), i)
}
