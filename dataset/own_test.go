package dataset_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/own"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// Reading, splitting and writing the texts of a file takes some 50 bytes a review and what
// does not grow with the file.
func TestWriteReviewsMemory(t *testing.T) {
	small, large := adding(t, 5_000), adding(t, 55_000)
	assert.Less(t, large-small, int64(5<<20), "of 7 MB more")
}

// adding returns the most that the live heap grew by.
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

	var m runtime.MemStats
	live := func() int64 {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, calls := live(), 0
	peak := before
	in := own.Data{Name: "a", Files: []string{path}}
	must.Get(in.WriteReviews(t.Context(), filepath.Join(dir, "out"), dataset.Limits{}, func(_, _ int64) {
		if calls++; calls%5 == 0 {
			peak = max(peak, live())
		}
	}))(t)
	return peak - before
}

// What is held out: about the fraction of each class, no text on both sides, the
// same in whatever order the reviews come.
func TestHoldOut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "10", "9"}), 2, 4, rapid.ID).Draw(rt, "labels")
		fraction := rapid.Float64Range(0.05, 0.9).Draw(rt, "fraction")
		var all []labelled
		for _, l := range labels { // enough of its own
			for i := range 4 {
				all = append(all, labelled{l, fmt.Sprint("only ", l, i)})
			}
		}
		all = append(all, rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) labelled {
			return labelled{rapid.SampledFrom(labels).Draw(rt, "label"), fmt.Sprint("text ", rapid.IntRange(0, 60).Draw(rt, "text"))}
		}), 0, 100).Draw(rt, "reviews")...)

		split := func(all []labelled) map[string]dataset.Part {
			parts, _ := must.Get2(splitOwn(t, fraction, all))(rt)
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

// labelled is a review of the user's.
type labelled struct{ Label, Text string }

// splitOwn adds reviews, of which it holds out a fraction, and returns the part of each text.
func splitOwn(t *testing.T, fraction float64, all []labelled) (map[string]dataset.Part, own.Reviews, error) {
	var lines bytes.Buffer
	for _, r := range all {
		require.NoError(t, json.NewEncoder(&lines).Encode(map[string]string{"label": r.Label, "text": r.Text}))
	}
	dir := t.TempDir()
	defer os.RemoveAll(dir) // a property has hundreds
	in := own.Data{Name: "a", Files: []string{fixture.Put(t, dir, "a.jsonl", lines.Bytes())}, TestFraction: fraction}
	to := filepath.Join(dir, "out")
	added, err := in.WriteReviews(ctx, to, dataset.Limits{}, nil)
	if err != nil {
		return nil, added, err
	}
	parts := map[string]dataset.Part{}
	src := must.Get(own.Open(to, "a", nil))(t)
	return parts, added, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		if old, ok := parts[r.Text]; ok {
			require.Equal(t, old, p, r.Text)
		}
		parts[r.Text] = p
		return nil
	})
}

// hashed returns the first bytes of the SHA-256 of parts.
func hashed(parts ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "")))
	return binary.BigEndian.Uint64(sum[:])
}

// checkTwins checks that the twins are one text in another order of the texts, each alone: held out are those
// with the smallest keys. The key of a text is that of its bytes, that of twins is that of their words.
func checkTwins(t *testing.T, alone, twins []string) {
	keys := map[uint64][]string{}
	for _, text := range alone {
		key := hashed("imdbexp test split 1\n", text)
		if !slices.Contains(keys[key], text) {
			keys[key] = append(keys[key], text)
		}
	}
	for _, text := range twins {
		words := "imdbexp words 1"
		for _, w := range token.Tokens(token.PTB, twins[0]) {
			words += "\x00" + w.Word
		}
		keys[hashed(words)] = append(keys[hashed(words)], text)
	}
	all := []labelled{{"b", "one other"}, {"b", "another one"}}
	for _, text := range slices.Concat(alone, twins) {
		all = append(all, labelled{"a", text})
	}
	order := slices.Sorted(maps.Keys(keys))
	for n := 1; n < len(order); n++ {
		parts, added := must.Get2(splitOwn(t, float64(n)/float64(len(order)), all))(t)
		require.Equal(t, len(alone)+len(twins)-len(order), added.Repeated)
		for i, key := range order {
			for _, text := range keys[key] {
				want := dataset.Train
				if i < n {
					want = dataset.Test
				}
				require.Equal(t, want, parts[text], "%q, %d of %d held out", text, n, len(order))
			}
		}
	}
}

// Texts that a model sees no difference between have one key; others keep that of their
// bytes, and with it the side they have always been on.
func TestTwins(t *testing.T) {
	require.Equal(t, uint64(0xc8ab9565451cbf6a), hashed("imdbexp test split 1\n", "a good film"), "the same for ever")
	alone := []string{"a good film", "two  blanks", "a line\n", "another\nline", "cafe\u0301", "a good film", "two  blanks", "good. film", "good film"}
	checkTwins(t, alone, nil)

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
			checkTwins(t, []string{"else", "e l  s e", "and others", "to be in order"}, twins)
		})
	}
	_, added := must.Get2(splitOwn(t, 0.5, []labelled{{"a", "Caf\u00e9"}, {"a", "caf\u00e9"}, {"a", "a\u0085b"}, {"b", "a b"}, {"b", "ab"}}))(t)
	require.Equal(t, 1, added.Repeated)
}

func TestEmpty(t *testing.T) {
	for text, want := range map[string]int{
		"": 1, " \n\t": 1, "<br />": 1, "<BR><br/> </br>": 1, "\u200b": 1, "\ufeff\u2060": 1,
		"\u00ad": 1, "\u3164": 1, "a": 0, ".": 0, "<br />.": 0, "\u200ba": 0, "日": 0,
	} {
		_, added := must.Get2(splitOwn(t, 0.5, []labelled{{"a", text}, {"a", "other"}, {"b", "texts"}, {"b", "follow"}}))(t)
		require.Equal(t, want, added.Empty, "%q", text)
	}
}

// Equal numbers are one class with one name, in any order of the reviews.
func TestEqualNumbersAreOneClass(t *testing.T) {
	for _, labels := range [][]string{{"1.0", "+1", "1", "0", "-0"}, {"0", "1", "-0", "1.0", "+1"}} {
		var all []labelled
		for i, l := range labels {
			all = append(all, labelled{l, fmt.Sprint("text ", i)})
		}
		_, added := must.Get2(splitOwn(t, 0.5, all))(t)
		require.Equal(t, []string{"0", "1"}, added.Classes)
		require.Equal(t, []string{`"+1" as "1"`, `"-0" as "0"`, `"1.0" as "1"`}, added.Merged)
	}
}
