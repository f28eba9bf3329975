package dataset_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/must"
)

// HTML entities become characters, and the spans of a rationale move with them.
func TestEntities(t *testing.T) {
	decoded := func(text, rationale string) (out tables.Record, changed bool) {
		row := must.Get(json.Marshal(map[string]string{"text": text, "label": "pos", "rationale": rationale}))(t)
		how := must.Get(tables.Read(ctx, put(t, "a.jsonl", row), tables.Options{}, func(r tables.Record) error {
			out = r
			return nil
		}))(t)
		return out, how.Entities == 1
	}
	for text, want := range map[string]string{
		"isn&#039;t &quot;good&quot; &amp; new": `isn't "good" & new`, "&#x2019;&hellip;&nbsp;": "\u2019\u2026\u00a0",
		"AT&T &Garth; R&B &notit &lt": "AT&T &Garth; R&B &notit &lt", "&amp;quot;": "&quot;", "a & b;": "a & b;", "": "",
	} {
		got, changed := decoded(text, "")
		assert.Equal(t, want, got.Text)
		assert.Equal(t, want != text, changed, text)
	}
	got, _ := decoded("a &quot;very good&quot; film", "2-8 9-12 13-17 24-28")
	var cut []string
	for _, s := range got.Rationale {
		cut = append(cut, got.Text[s[0]:s[1]])
	}
	assert.Equal(t, []string{`"`, "ery", "good", "film"}, cut)
}
