package own

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

// Texts that a model sees no difference between have one key; others keep that of their
// bytes, and with it the side they have always been on.
func TestTwins(t *testing.T) {
	keys := func(texts ...string) (out []uint64) {
		g := &gatherer{}
		for _, text := range texts {
			g.remember(gathered{}, text)
		}
		g.joinTwins()
		for _, r := range g.reviews {
			out = append(out, r.key)
		}
		return out
	}
	require.Equal(t, uint64(0xc8ab9565451cbf6a), textKey("a good film"), "the same for ever")
	raw := func(texts ...string) (out []uint64) {
		for _, text := range texts {
			out = append(out, textKey(text))
		}
		return out
	}
	alone := []string{"a good film", "two  blanks", "a line\n", "another\nline", "cafe\u0301", "a good film", "two  blanks", "good. film", "good film"}
	require.Equal(t, raw(alone...), keys(alone...))

	for name, twins := range map[string][]string{
		"blanks, one plain":   {"a b", "a  b", " a b", "a\tb\n"},
		"blanks, none plain":  {"a  b", "a   b", "a\u00a0 b"},
		"letters with accent": {"caf\u00e9", "cafe\u0301"},
		"both":                {"caf\u00e9 noir", "cafe\u0301  noir"},
		"case":                {"A Good Film", "a good film", "A GOOD FILM"},
		"markup":              {"one two", "one<br />two", "one <br><BR/> two"},
		"apostrophes":         {"it isn't", "it isn\u2019t"},
	} {
		t.Run(name, func(t *testing.T) {
			got := keys(append([]string{"else", "e l  s e"}, twins...)...)
			require.Equal(t, raw("else", "e l  s e"), got[:2])
			for _, k := range got[2:] {
				require.Equal(t, got[2], k)
			}
		})
	}
	got := keys("Caf\u00e9", "caf\u00e9", "a\u0085b", "a b", "ab")
	require.Len(t, map[uint64]bool{got[0]: true, got[1]: true, got[2]: true, got[3]: true, got[4]: true}, 4)
	require.Equal(t, got[0], got[1])
}

func TestEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \n\t": true, "<br />": true, "<BR><br/> </br>": true, "\u200b": true, "\ufeff\u2060": true,
		"\u00ad": true, "\u3164": true, "a": false, ".": false, "<br />.": false, "\u200ba": false, "日": false,
	} {
		_, empty := wordsKey(text)
		require.Equal(t, want, empty, "%q", text)
	}
}

// Twins are on one side, and one of them in test with the other in train is counted.
func TestTwinsShared(t *testing.T) {
	g := &gatherer{labels: []string{"a", "b"}}
	for i := range 400 {
		g.remember(gathered{label: int16(i % 2)}, fmt.Sprint("caf\u00e9 ", i))
		g.remember(gathered{label: int16(i % 2)}, fmt.Sprint(" cafe\u0301  ", i))
	}
	g.joinTwins()
	require.NoError(t, g.holdOut(0.3))
	for i := int32(0); i < 800; i += 2 {
		require.Equal(t, g.reviews[i].part, g.reviews[i+1].part)
	}
	var out Reviews
	g.count(&out)
	require.Equal(t, []int{400, 0}, []int{out.Repeated, out.Shared})

	g = &gatherer{labels: []string{"a", "b"}}
	for i := range 200 {
		g.remember(gathered{label: int16(i % 2)}, fmt.Sprint("caf\u00e9 ", i))
		g.remember(gathered{label: int16(i % 2), part: dataset.Test}, fmt.Sprint("cafe\u0301 ", i))
	}
	g.joinTwins()
	out = Reviews{}
	g.count(&out)
	require.Equal(t, 200, out.Shared)
}

// Equal numbers are one class with one name, in any order of the reviews.
func TestEqualNumbersAreOneClass(t *testing.T) {
	for _, labels := range [][]string{{"1.0", "+1", "1", "0", "-0"}, {"0", "1", "-0", "1.0", "+1"}} {
		g := &gatherer{index: map[string]int{}, keys: map[string]int{}}
		for _, l := range labels {
			_, err := g.label(tables.Record{Label: l}, dataset.Train)
			require.NoError(t, err)
		}
		g.nameNumbers()
		require.ElementsMatch(t, []string{"0", "1"}, g.labels)
		require.Equal(t, []string{`"+1" as "1"`, `"-0" as "0"`, `"1.0" as "1"`}, g.merged)
	}
}
