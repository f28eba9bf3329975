package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/page"
)

// The page of runs that translate speaks of exact match and pairs throughout.
func TestTranslationPage(t *testing.T) {
	html := written(t, page.Options{}, reporttest.Translators(t)...)
	assert.Contains(t, html, `<th scope="col" class="n">exact match (%)</th>`)
	assert.Contains(t, html, `<td class="n">40.00</td>`, "of seq2seq-plain, not its 97 % of next words")
	assert.Contains(t, html, "no exact match on test yet")
	assert.NotContains(t, html, "test acc. (%)")
}
