package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/page"
	"imdbexp/runs"
)

// Trials stand apart, folded, each with what would repeat it.
func TestPageOfTrials(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	html := written(t, page.Options{Command: func(c []*runs.Config) string { return "exp run " + c[0].ID }}, append(trials, looked...)...)
	assert.Contains(t, html, "<summary>5 trials, never evaluated on the test set</summary>")
	assert.Contains(t, html, "86.50 % ± 0.71 (2) @3–4")
	commands := submatches(`(?s)<pre>(.*?)</pre>`, html)
	for _, r := range trials {
		assert.Contains(t, html, `href="#run-`+r.Config.ID[:8])
		assert.NotContains(t, commands[0], r.Config.ID, "beside the trial, not among those of the rows")
	}

	assert.Contains(t, written(t, page.Options{}, trials...), "5 trials", "of a report of nothing else")
}
