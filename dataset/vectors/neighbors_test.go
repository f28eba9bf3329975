package vectors_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/vectors"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// plane is vectors of two dimensions: a word for each angle in degrees.
func plane(angles map[string]float64) *vectors.Set {
	v := &vectors.Set{Name: "plane", Dim: 2}
	for w := range angles {
		v.Words = append(v.Words, w)
	}
	slices.Sort(v.Words)
	for i, w := range v.Words {
		a := angles[w] * math.Pi / 180
		long := float64(i + 1) // of no effect
		v.Rows = append(v.Rows, float32(long*math.Cos(a)), float32(long*math.Sin(a)))
	}
	return v
}

func TestNearest(t *testing.T) {
	v := plane(map[string]float64{"east": 0, "ene": 22.5, "north": 90, "west": 180, "wsw": 202.5, "south": 270})
	v.Words, v.Rows = append(v.Words, "nowhere", "East"), append(v.Rows, 0, 0, v.Row(0)[0], v.Row(0)[1])
	s := vectors.NewSpace(v)
	got := must.Get(s.Nearest(ctx, 3, vectors.Term{Word: "ene"}))(t)
	var spelt []string
	for _, k := range got {
		spelt = append(spelt, k.Word)
	}
	assert.Equal(t, []string{"East", "east", "north"}, spelt, "the word itself is left out, ties are in the order of bytes")
	assert.InDelta(t, math.Cos(math.Pi/8), got[0].Cosine, 1e-6)
	assert.Equal(t, got[0].Cosine, got[1].Cosine)

	all := must.Get(s.Nearest(ctx, 100, vectors.Term{Word: "north"}, vectors.Term{Word: "east"}, vectors.Term{Word: "west", Minus: true}))(t)
	require.Len(t, all, 4, "without the words of the sum and what points nowhere")
	assert.Equal(t, "ene", all[0].Word, "2·east + north")
	assert.InDelta(t, math.Cos(math.Atan(0.5)-math.Pi/8), all[0].Cosine, 1e-6)
	assert.Equal(t, []string{"south", "wsw"}, []string{all[2].Word, all[3].Word})

	assert.ErrorContains(t, must.Fail(s.Nearest(ctx, 3, vectors.Term{Word: "nowhere"})), `the vector of "nowhere" in plane is all zeros`)
	assert.ErrorContains(t, must.Fail(s.Nearest(ctx, 3, vectors.Term{Word: "east"}, vectors.Term{Word: "east", Minus: true})), "cancel each other out")
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, must.Fail(s.Nearest(stopped, 3, vectors.Term{Word: "east"})), context.Canceled)
}

// TestNearestIsExact compares with sorting all words.
func TestNearestIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		rows := rapid.SliceOfN(rapid.IntRange(-2, 2), dim, 60*dim).Draw(t, "rows") // many ties
		v := &vectors.Set{Dim: dim, Words: fixture.Words(len(rows) / dim)}
		for _, x := range rows[:len(v.Words)*dim] {
			v.Rows = append(v.Rows, float32(x))
		}
		n := rapid.IntRange(1, 70).Draw(t, "n")
		first, err := vectors.NewSpace(v).Nearest(ctx, n, vectors.Term{Word: "w0"})
		if err != nil {
			assert.ErrorContains(t, err, "all zeros")
			return
		}
		all := must.Get(vectors.NewSpace(v).Nearest(ctx, len(v.Words), vectors.Term{Word: "w0"}))(t)
		assert.Equal(t, all[:min(n, len(all))], first)
		assert.True(t, slices.IsSortedFunc(all, func(a, b vectors.Neighbor) int {
			if a.Cosine != b.Cosine {
				return int(math.Copysign(1, b.Cosine-a.Cosine))
			}
			return strings.Compare(a.Word, b.Word)
		}))
		for _, k := range all {
			assert.InDelta(t, 0, k.Cosine, 1+1e-12)
		}
	})
}

// TestExport reads back what is written.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		dim := rapid.IntRange(10, 20).Draw(r, "dim")
		n := rapid.IntRange(1, 5).Draw(r, "words")
		v := &vectors.Set{Dim: dim, Words: fixture.Words(n), Rows: rapid.SliceOfN(rapid.Float32(), n*dim, n*dim).Draw(r, "rows")}
		var out bytes.Buffer
		require.NoError(r, vectors.WriteWord2Vec(ctx, &out, v))
		got, err := vectors.Read(ctx, fixture.Put(t, dir, "v", out.Bytes()), vectors.Options{})
		require.NoError(r, err, out.String())
		assert.Equal(r, v.Words, got.Words)
		assert.Equal(r, v.Rows, got.Rows)
	})

	var out bytes.Buffer
	v := &vectors.Set{Dim: 1, Words: []string{"a", ". .", "b"}, Rows: []float32{1, 2, -0.1}}
	require.NoError(t, vectors.WriteWord2Vec(ctx, &out, v))
	assert.Equal(t, "2 1\na 1\nb -0.1\n", out.String())
	assert.Equal(t, []string{". ."}, v.Spaced())
}
