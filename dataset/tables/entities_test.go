package tables

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDecodeEntities(t *testing.T) {
	for text, want := range map[string]string{
		"isn&#039;t &quot;good&quot; &amp; new": `isn't "good" & new`, "&#x2019;&hellip;&nbsp;": "\u2019\u2026\u00a0",
		"AT&T &Garth; R&B &notit &lt": "AT&T &Garth; R&B &notit &lt", "&amp;quot;": "&quot;", "a & b;": "a & b;", "": "",
	} {
		got, changed := decodeEntities(text, nil)
		assert.Equal(t, want, got)
		assert.Equal(t, want != text, changed, text)
	}
	text := "a &quot;very good&quot; film"
	spans := [][2]int{{2, 8}, {8, 12}, {13, 17}, {24, 28}}
	got, _ := decodeEntities(text, spans)
	var cut []string
	for _, s := range spans {
		cut = append(cut, got[s[0]:s[1]])
	}
	assert.Equal(t, []string{`"`, "very", "good", "film"}, cut)
}
