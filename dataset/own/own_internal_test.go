package own

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/must"
)

// Reading, splitting and writing the texts of a file takes some 50 bytes a review and what
// does not grow with the file.
func TestWriteReviewsMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	small, large := adding(t, 10_000), adding(t, 200_000)
	assert.Less(t, large-small, int64(20<<20), "of 26 MB more")
}

// adding returns the most that the heap grew by.
func adding(t *testing.T, reviews int) int64 {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	f := must.Get(os.Create(path))(t)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "label,text")
	for i := range reviews {
		fmt.Fprintf(w, "%d,review %d has nothing to say but is as long as others are that were written by people who have watched the film; it ends %d\n", i%2, i, i*i)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())

	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	grown := func() int64 {
		metrics.Read(heap)
		return int64(heap[0].Value.Uint64())
	}
	runtime.GC()
	before, most := grown(), int64(0)
	in := Data{Name: "a", Files: []string{path}}
	must.Get(in.WriteReviews(t.Context(), filepath.Join(dir, "out"), dataset.Limits{}, func(_, _ int64) { most = max(most, grown()) }))(t)
	return max(most, grown()) - before
}

// What is held out: about the fraction of each class, no text on both sides, the
// same in whatever order the reviews come.
func TestHoldOut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "10", "9"}), 2, 4, rapid.ID).Draw(rt, "labels")
		fraction := rapid.Float64Range(0.05, 0.9).Draw(rt, "fraction")
		type review struct{ label, text string }
		var all []review
		for _, l := range labels { // enough of its own
			for i := range 4 {
				all = append(all, review{l, fmt.Sprint("only ", l, i)})
			}
		}
		all = append(all, rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) review {
			return review{rapid.SampledFrom(labels).Draw(rt, "label"), fmt.Sprint("text ", rapid.IntRange(0, 60).Draw(rt, "text"))}
		}), 0, 200).Draw(rt, "reviews")...)

		split := func(all []review) map[string]dataset.Part {
			g := &gatherer{}
			for _, r := range all {
				i := slices.Index(g.labels, r.label)
				if i < 0 {
					i = len(g.labels)
					g.labels = append(g.labels, r.label)
				}
				g.reviews = append(g.reviews, gathered{key: textKey(r.text), label: int16(i)})
			}
			require.NoError(rt, g.holdOut(fraction))
			require.NoError(rt, g.checkClasses())
			parts := map[string]dataset.Part{}
			for i, r := range all {
				part := g.reviews[i].part
				if old, ok := parts[r.text]; ok {
					require.Equal(rt, old, part, r.text)
				}
				parts[r.text] = part
			}
			return parts
		}
		first := split(all)
		slices.Reverse(all)
		again := split(all)
		require.Equal(rt, first, again)
		held := 0
		for _, p := range first {
			held += int(p)
		}
		require.InDelta(rt, fraction*float64(len(first)), float64(held), float64(len(labels)))
	})
}

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

// Equal numbers are one class with one name, in any order of the reviews.
func TestEqualNumbersAreOneClass(t *testing.T) {
	for _, labels := range [][]string{{"1.0", "+1", "1", "0", "-0"}, {"0", "1", "-0", "1.0", "+1"}} {
		g := &gatherer{index: map[string]int{}, keys: map[string]int{}}
		for _, l := range labels {
			must.Get(g.label(tables.Record{Label: l}, dataset.Train))(t)
		}
		g.nameNumbers()
		require.ElementsMatch(t, []string{"0", "1"}, g.labels)
		require.Equal(t, []string{`"+1" as "1"`, `"-0" as "0"`, `"1.0" as "1"`}, g.merged)
	}
}
