package tables

import (
	"html"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
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
	rapid.Check(t, func(t *rapid.T) { // a text between entities stays where its spans are
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"word", "&quot;", "&#39;", "&zzz;", " ", "&"}), 1, 12).Draw(t, "parts")
		var text, want string
		var spans [][2]int
		for _, p := range parts {
			if p == "word" {
				spans = append(spans, [2]int{len(text), len(text) + 4})
			}
			text += p
			want += html.UnescapeString(p)
		}
		got, _ := decodeEntities(text, spans)
		assert.Equal(t, want, got)
		for _, s := range spans {
			assert.Equal(t, "word", got[s[0]:s[1]])
		}
	})
}
