package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/guard"
	"imdbexp/internal/testkit/must"
)

// written is a corpus of texts: train has all but the last two, of which one is in test and one
// without label.
type written []string

func (written) String() string    { return "written" }
func (written) Classes() []string { return []string{"neg", "pos"} }

func (w written) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i, text := range w {
		part, label := dataset.Train, i%2
		switch i {
		case len(w) - 3, len(w) - 2:
			part = dataset.Test
		case len(w) - 1:
			part, label = dataset.Extra, dataset.Unlabelled
		}
		if err := yield(part, dataset.Review{ID: string(rune('a' + i)), Text: text, Label: label}); err != nil {
			return err
		}
	}
	return nil
}

// A review is left out if the model reads the words of a text of the probe, or their beginning; test
// stays whole.
func TestWithout(t *testing.T) {
	long := strings.Repeat("word after word ", 12) // 156 letters
	probe := []string{
		"It isn't a GOOD café, film.",
		long + "with an end",
		"...",
	}
	src := written{
		"it isn’t a good cafe\u0301 <br />film",    // a: the same words but for signs
		long + "with another end, from the review", // b: the same beginning
		"it isn't a good cafe, film at all",        // c: goes on
		"it is a good film",                        // d
		"!!!",                                      // e: no letters, as "..."
		strings.Replace(long, "word", "work", 1),   // f
		"it isn't a good café, film",               // g: test
		"it is bad",                                // h: test
		"It isn't a good café, FILM!",              // i: without label
	}
	tok := must.Get(token.Get(""))(t)
	c := must.Get(dataset.Build(context.Background(), "written", src, tok))(t)
	out, left := c.Without(tok, slices.Values(probe), "0123456789abcdef")
	require.Equal(t, [dataset.Parts]int{2, 0, 1}, left)
	require.Equal(t, []string{"c", "d", "e", "f"}, out.Train.Names)
	require.Equal(t, []int32{0, 1, 0, 1}, out.Train.Labels)
	require.Equal(t, []string{"g", "h"}, out.Test.Names)
	require.Empty(t, out.Extra.Names)
	require.Equal(t, c.Digest, out.Digest, "the test reviews are the same")
	require.NotEqual(t, c.Key, out.Key, "vectors of the corpus are not")
	spell := func(c *dataset.Corpus, s *dataset.Split, b int) (words []string) {
		for _, id := range s.Words(b) {
			words = append(words, c.Vocab.Words[id])
		}
		return words
	}
	for b, name := range out.Train.Names {
		require.Equal(t, spell(c, &c.Train, slices.Index(c.Train.Names, name)), spell(out, &out.Train, b))
	}
	require.Equal(t, spell(c, &c.Test, 0), spell(out, &out.Test, 0))
	require.NotContains(t, out.Vocab.Words, "another", "a word of the reviews left out")
	for id, n := range out.Vocab.Counts {
		var occur int64
		for p := range dataset.Parts {
			for _, x := range out.Part(p).IDs {
				if int(x) == id {
					occur++
				}
			}
		}
		require.Equal(t, occur, n, out.Vocab.Words[int32(id)])
	}
	same, left := c.Without(tok, slices.Values([]string{"nothing of this"}), "0123456789abcdef")
	require.Zero(t, left)
	require.Equal(t, c.Train, same.Train)
}

// marked writes the changed words in brackets.
func marked(words []string, changed []bool) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; changed[i] {
			out[i] = "[" + w + "]"
		}
	}
	return strings.Join(out, " ")
}

func TestChanged(t *testing.T) {
	for _, c := range []struct{ a, b, inA, inB string }{
		{"a dull film", "a superb film", "a [dull] film", "a [superb] film"},
		{"not a good plot", "a good plot", "[not] a good plot", "a good plot"},
		{"good , but too long and dull", "good , and never dull", "good , [but] [too] [long] and dull", "good , and [never] dull"},
		{"the same", "the same", "the same", "the same"},
		{"", "all of it", "", "[all] [of] [it]"},
		{"a b a b", "b a b a", "[a] b a b", "b a b [a]"},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		inA, inB := dataset.Changed(a, b)
		require.Equal(t, c.inA, marked(a, inA))
		require.Equal(t, c.inB, marked(b, inB))
	}
}

// The words that did not change are the same in both, and no other choice keeps more of them.
func TestChangedIsSmallest(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 7)
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		inA, inB := dataset.Changed(a, b)
		same := kept(a, func(i int) bool { return !inA[i] })
		require.Equal(t, same, kept(b, func(i int) bool { return !inB[i] }))
		for chosen := range 1 << len(a) {
			if some := kept(a, func(i int) bool { return chosen>>i&1 == 1 }); within(some, b) {
				require.LessOrEqual(t, len(some), len(same))
			}
		}
	})
}

func kept(words []string, keep func(int) bool) []string {
	out := []string{}
	for i, w := range words {
		if keep(i) {
			out = append(out, w)
		}
	}
	return out
}

// within reports whether some is a subsequence of all.
func within(some, all []string) bool {
	for _, w := range all {
		if len(some) > 0 && some[0] == w {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// heldOut has 100 of a user's own reviews in two classes, 20 of them held out. Every tenth review has
// the same words, so a model cannot distinguish these ten.
type heldOut struct{ given bool } // given: the test part came in a file

func (heldOut) String() string    { return "held out" }
func (heldOut) Classes() []string { return []string{"neg", "pos"} }

func (h heldOut) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i := range 100 {
		part, n, text := dataset.Train, i+1, fmt.Sprintf("film %d", i)
		if i%5 == 0 {
			part = dataset.Test
		}
		if i%10 == 3 {
			text = []string{"The same film", "the same FILM", "the <br /> same film"}[i%3]
		}
		if h.given && part == dataset.Test {
			n = i/5 + 1
		}
		if err := yield(part, dataset.Review{ID: fmt.Sprintf("%s/%08d", part, n), Text: text, Label: i / 5 % 2}); err != nil {
			return err
		}
	}
	return nil
}

// Another division has as many test reviews of each class, has each review once, and keeps equal texts
// on one side. It depends on the seed alone. Data with a given test part keep it.
func TestRedraw(t *testing.T) {
	c := must.Get(dataset.Build(t.Context(), "films", heldOut{}, token.PTB))(t)
	words := func(s *dataset.Split, b int) (out string) {
		for _, id := range s.Words(b) {
			out += c.Vocab.Words[id] + " "
		}
		return strings.TrimSpace(out)
	}
	divisions := map[string]bool{}
	for seed := range uint64(20) {
		d := must.Get(c.Resplit(seed))(t)
		require.Equal(t, d.Test, must.Get(c.Resplit(seed))(t).Test)
		require.Equal(t, []int{80, 20}, []int{d.Train.Len(), d.Test.Len()})
		require.Equal(t, 10, len(d.Test.First(0, 2))-int(sum(d.Test.Labels)), "of class neg")
		require.Equal(t, c.Digest, d.Digest)
		require.NotEqual(t, c.Key, d.Key, "vectors of the corpus are others")
		require.ElementsMatch(t, slices.Concat(c.Train.Names, c.Test.Names), slices.Concat(d.Train.Names, d.Test.Names))
		require.True(t, slices.IsSorted(d.Train.Names) && slices.IsSorted(d.Test.Names))
		sides := map[string]map[bool]bool{}
		for part, s := range []*dataset.Split{&d.Train, &d.Test} {
			for b := range s.Labels {
				text := words(s, b)
				if sides[text] == nil {
					sides[text] = map[bool]bool{}
				}
				sides[text][part == 1] = true
			}
		}
		require.Len(t, sides, 91)
		for text, on := range sides {
			require.Len(t, on, 1, text)
		}
		divisions[strings.Join(d.Test.Names, " ")] = true
	}
	require.Len(t, divisions, 20)

	given := must.Get(dataset.Build(t.Context(), "films", heldOut{given: true}, token.PTB))(t)
	require.ErrorContains(t, must.Fail(given.Resplit(1)), "its test part was given")
}

func sum(list []int32) (n int32) {
	for _, x := range list {
		n += x
	}
	return n
}

func TestLabelKey(t *testing.T) {
	for _, same := range [][]string{
		{"1", "1.0", "+1", "01", "1.", "1,0", "1e0", "\u200b1", "1\ufeff", " 1"},
		{"-1", "\u22121", "-1.0", "\u22121,0"},
		{"0", "-0", "0.0"},
		{"caf\u00e9", "cafe\u0301", "Caf\u00e9", "CAFÉ", "ca\u00adfé", "café\u200b"},
		{"good", "GOOD", "good\u2060", "ｇood", "good\ufe0f", "good\u3164", "go\u115fod", "\u1160good", "good\uffa0", "good\u2800"},
		{"very good", "very  good", "very\u00a0good"},
		{"Straße", "STRASSE", "straße"},
		{"12", "\u0661\u0662", "\u0967\u0968", "１２"},
		{"don't know", "Don\u2019t know", "don\u02bct know"},
		{"non-toxic", "non\u2013toxic", "non\u2010toxic", "non\u2011toxic"},
	} {
		for _, s := range same {
			assert.Equal(t, dataset.LabelKey(same[0]), dataset.LabelKey(s), "%q and %q", same[0], s)
		}
	}
	different := map[string]string{}
	for _, s := range []string{"1", "-1", "10", "1.5", "1,000", "1000", "one", "cafe", "café", "nan", "inf", "0x1", "1_0", "v1", "-", ""} {
		assert.Empty(t, different[dataset.LabelKey(s)], s)
		different[dataset.LabelKey(s)] = s + "!"
	}
	for label, want := range map[string]float64{"2,5": 2.5, "\u22123": -3, ".5": 0.5, "7": 7} {
		got, ok := dataset.LabelNumber(label)
		assert.True(t, ok, label)
		assert.Equal(t, want, got, label)
	}
	for _, label := range []string{"nan", "Inf", "0x1p-2", "1_0", "1,000", "", "one"} {
		_, ok := dataset.LabelNumber(label)
		assert.False(t, ok, label)
	}
}

func TestCall(t *testing.T) {
	require.NoError(t, guard.Call(func() error { return nil }))
	require.Equal(t, io.EOF, guard.Call(func() error { return io.EOF }))

	err := guard.Func(func() error {
		var none []int
		none[3] = 1
		return nil
	})()
	caught, ok := errors.AsType[*guard.Error](err)
	require.True(t, ok)
	assert.ErrorContains(t, err, "internal error: runtime error: index out of range [3] with length 0\n")
	assert.Contains(t, string(caught.Stack), "without_test.go", "where it was")
}
