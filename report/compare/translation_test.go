package compare_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

// Translations of the same pairs are compared like predictions: by which of them are
// exact.
func TestCompareTranslations(t *testing.T) {
	list := reporttest.Translators(t)
	plain, err := compare.ReadSide("plain", list[:1])
	require.NoError(t, err)
	attention, err := compare.ReadSide("bahdanau", list[1:2])
	require.NoError(t, err)
	compared, err := compare.Against(plain, attention)
	require.NoError(t, err)
	require.Len(t, compared, 1)
	assert.InDelta(t, 40, compared[0].Accuracy[0].Mean, 1e-9)
	assert.InDelta(t, 100, compared[0].Accuracy[1].Mean, 1e-9)
	assert.Equal(t, [2]int{0, 24}, compared[0].Only)
	var out bytes.Buffer
	require.NoError(t, compare.Table(compared).Text(&out, 0, false))
	assert.Contains(t, out.String(), "Test exact match on 40 common pairs")
	assert.Contains(t, out.String(), "Exact matches in percent")
	assert.NotContains(t, out.String(), "review")

	dir := t.TempDir()
	others := reporttest.Translated(40, 6)
	for i := range others {
		others[i].Pair = fmt.Sprintf("test/%04d", 100+i)
	}
	other, err := compare.ReadSide("other", []*runs.Run{reporttest.Translator(t, dir, "seq2seq-luong", 1, others)})
	require.NoError(t, err)
	_, err = compare.Against(plain, other)
	assert.ErrorContains(t, err, "have no pairs in common (test/0001 and test/0100, for example)")
	_, err = compare.ReadAnswers(list[3], nil)
	assert.ErrorAs(t, err, new(*compare.NoPredictionsError))
}
