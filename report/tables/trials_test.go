package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/runs"
)

func TestGoldenTrials(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	rep := reporttest.Build(t, append(trials, looked...)...)
	for _, width := range []int{60, 100} {
		reporttest.Golden(t, fmt.Sprintf("trials-%d.txt", width), reporttest.Text(t, rep, width))
	}
	reporttest.Golden(t, "trials.md", reporttest.Written(t, rep.Markdown))
	for width := 60; width < 200; width += 7 {
		reporttest.Text(t, rep, width)
	}
}

// Trials stand apart, the best first; rows that looked at test are as without them.
func TestTrialsStandApart(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	rep := reporttest.Build(t, append(trials, looked...)...)
	b, without := rep.Blocks[0], reporttest.Build(t, looked...).Blocks[0]
	require.Len(t, b.Rows, 2)
	for i, row := range b.Rows {
		assert.Equal(t, without.Rows[i].Label(), row.Label())
		assert.Equal(t, without.Rows[i].Cells["default"].Notes, row.Cells["default"].Notes)
	}
	require.Len(t, b.Trials, 1)
	assert.Equal(t, []string{"data.max_len=256", "select=best"}, b.Trials[0].Shared)
	assert.Equal(t, []string{"oov", "batch", "clip", "lr", "adam.beta1", "weight_decay"}, b.Trials[0].Keys)
	var ids []string
	for _, c := range b.Trials[0].Cells {
		for _, r := range c.Runs {
			ids = append(ids, r.Config.ID)
		}
	}
	want := []string{trials[4].Config.ID, trials[5].Config.ID} // the seeds of one setting
	for i := 3; i >= 0; i-- {
		want = append(want, trials[i].Config.ID)
	}
	assert.Equal(t, want, ids)
	assert.Len(t, rep.Results(), 8)
}

// Of a report of nothing but trials, the other tables would be empty.
func TestNothingButTrials(t *testing.T) {
	_, trials := reporttest.Searched(t)
	rep := reporttest.Build(t, trials...)
	b := reporttest.Text(t, rep, 0)
	assert.True(t, strings.HasPrefix(b, "Trials, never evaluated on the test set, by their validation score: tme9-lstm adam with data.max_len=256, select=best. IMDB: "))
	for _, never := range []string{"test acc", "Wilson", "other settings", "nothing is published", "@"} {
		assert.NotContains(t, b, never)
	}
}

// Without a validation split they have what they came to on train.
func TestTrialsWithoutValidation(t *testing.T) {
	dir := t.TempDir()
	trial := func(digest string, user ...string) *runs.Run {
		return reporttest.Run{Name: "tme9-lstm", Variant: "default", User: append(user, "test=never"), Data: reporttest.IMDB, Digests: map[string]string{"data": "da7a", "vectors": digest}}.Add(t, dir)
	}
	b := reporttest.Text(t, reporttest.Build(t, trial("a"), trial("b"), trial("a", "lr=0.5")), 0)
	assert.Regexp(t, `rank +valid acc. +train acc. +train loss +epoch +lr +run\n`, b)
	assert.Contains(t, b, "\n¹ not averaged: with run ", "which has the same settings")
	assert.NotContains(t, b, "by their score")
}

// A user's note and tags are footnotes of every table, and columns of the CSV.
func TestRemarks(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	for _, r := range []*runs.Run{looked[0], trials[0]} {
		require.NoError(t, r.Remark(func(m *runs.Remarks) { m.Note = "by hand of " + r.Config.ID; m.Add("paper", "b") }))
	}
	rep := reporttest.Build(t, append(trials, looked...)...)
	text := reporttest.Text(t, rep, 0)
	for _, r := range []*runs.Run{looked[0], trials[0]} {
		assert.Regexp(t, `(?m)^[¹²³⁴⁵⁶⁷⁸⁹]+ note: by hand of `+r.Config.ID+` \(`+r.Config.Name+"/"+r.Config.ID[:8]+`\)\.$`, text)
	}
	assert.Regexp(t, `(?m)^[¹²³⁴⁵⁶⁷⁸⁹]+ tagged: b, paper\.$`, text)
	records := rep.Records()
	tags, note := slices.Index(records[0], "tags"), slices.Index(records[0], "note")
	n := 0
	for _, line := range records[1:] {
		if line[tags] != "" {
			n++
			assert.Equal(t, []string{"b paper", "by hand of " + line[0]}, []string{line[tags], line[note]})
			assert.NotContains(t, line[len(line)-1], "by hand", "the notes have no second copy")
		}
	}
	assert.Equal(t, 2, n)
}
