package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
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

func TestWord2Vec(t *testing.T) {
	names := append(fixture.Words(100), "é", "</s>", "中文")
	for _, dim := range []int{10, 300, 1000} {
		var want []float32
		for i := range len(names) * dim {
			want = append(want, fixture.Value(i/dim, i%dim))
		}
		for _, end := range []string{"", "\n"} {
			b := fixture.Word2Vec(names, dim, end)
			dir := t.TempDir()
			for _, path := range []string{
				fixture.Put(t, dir, "v.bin", b),
				fixture.Put(t, dir, "v.bin.gz", fixture.Gzip(t, b)),
				fixture.Put(t, dir, "v.bin.zst", fixture.Zstd(t, b)),
				fixture.Put(t, dir, "v.zip", fixture.Zip(t, map[string]string{"v.bin": string(b)})),
			} {
				v := must.Get(vectors.Read(ctx, path, vectors.Options{}))(t)
				assert.Equal(t, names, v.Words)
				assert.True(t, slices.Equal(want, v.Rows))
				kept := must.Get(vectors.Read(ctx, path, vectors.Options{Keep: []string{"none", "w7", "w0"}}))(t)
				assert.Equal(t, []string{"w7", "w0"}, kept.Words)
				assert.Equal(t, v.Row(0), kept.Row(1))
				assert.Equal(t, len(names), kept.Total)
				assert.Equal(t, v.Digest, kept.Digest)
			}
		}
	}
}

// TestTellsBinary draws vectors of all kinds and sizes: binary is never taken
// for text, nor text for binary.
func TestTellsBinary(t *testing.T) {
	dir := t.TempDir()
	digit := fixture.Put(t, dir, "digit", []byte("1 10\na 7 \x01\x36"+strings.Repeat("\x00", 36))) // its first bytes are those of a number
	assert.Len(t, must.Get(vectors.Read(ctx, digit, vectors.Options{}))(t).Rows, 10)
	rapid.Check(t, func(r *rapid.T) {
		dim := rapid.IntRange(10, 60).Draw(r, "dim")
		n := rapid.IntRange(1, 40).Draw(r, "words")
		scale := rapid.SampledFrom([]float64{1e-6, 0.1, 1, 1000}).Draw(r, "scale")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		b := fmt.Appendf(nil, "%d %d\n", n, dim)
		text := bytes.Clone(b)
		var want []float32
		for i := range n {
			b = fmt.Appendf(b, "wört%d ", i)
			text = fmt.Appendf(text, "wört%d", i)
			for range dim {
				x := float32(scale * random.NormFloat64())
				want = append(want, x)
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
				text = fmt.Appendf(text, " %v", x)
			}
			text = append(text, '\n')
		}
		for name, b := range map[string][]byte{"binary": b, "text": text} {
			path := fixture.Put(t, dir, name, b)
			v := must.Get(vectors.Read(ctx, path, vectors.Options{}))(r)
			assert.Equal(r, want, v.Rows)
			got, _, err := vectors.Detect(ctx, path)
			require.NoError(r, err)
			assert.Equal(r, dim, got)
		}
	})
}

func TestBadWord2Vec(t *testing.T) {
	good := fixture.Word2Vec(fixture.Words(20), 50, "\n")
	size := len("w0 ") + 4*50 + 1
	start := len("20 50\n")
	change := func(at int, with string) []byte {
		b := bytes.Clone(good)
		copy(b[at:], with)
		return b
	}
	nan, inf := "\x00\x00\xc0\x7f", "\x00\x00\x80\xff"
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"nan":        {change(start+2*size+3+4*7, nan), `word 3: value 8 of "w2", NaN, is not finite`},
		"inf":        {change(start+3, inf), `word 1: value 1 of "w0", -Inf, is not finite`},
		"NUL":        {change(start+size, "\x00"), "contains a NUL byte"},
		"no word":    {change(start+size, "  "), "word 2: "},
		"more words": {change(0, "21"), "line 1 declares 21 words, but there are 20"},
		"less words": {change(0, "19"), "there is more after the 19 words that line 1 declares"},
		"more dims":  {change(3, "51"), "damaged, or line 1 declares the wrong dimensions"},
		"less dims":  {change(3, "49"), "damaged, or line 1 declares the wrong dimensions"},
		"9":          {fixture.Word2Vec(fixture.Words(20), 9, ""), "line 1: has vectors of 9 dimensions: 10 to 1000 can be used"},
		"1001":       {fixture.Word2Vec(fixture.Words(20), 1001, ""), "line 1: has vectors of 1001 dimensions: 10 to 1000 can be used"},
		"huge":       {append([]byte("2147483646 1000\n"), good[start:]...), "line 1"},
		"many":       {append([]byte("2000000 50\n"), good[start:]...), "line 1 declares 2000000 words, but there are 20"},
		"long word":  {append(append([]byte("1 10\n"), good[start:start+size]...), bytes.Repeat([]byte("\x80"), 1<<20)...), "line 1"},
		"half":       {good[:start+10*size+100], "line 1 declares 20 words, but there are 10"},
		"tail":       {append(bytes.Clone(good), "\n\n"...), "there is more after the 20 words"},
	} {
		path := put(t, "bad.bin", c.b)
		for _, keep := range [][]string{nil, {}} {
			_, err := vectors.Read(ctx, path, vectors.Options{Keep: keep})
			assert.ErrorContains(t, err, c.want, name)
			assert.ErrorContains(t, err, path, name)
		}
	}
}

// planeVectors is vectors of two dimensions: a word for each angle in degrees.
func planeVectors(angles map[string]float64) *vectors.Set {
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
	v := planeVectors(map[string]float64{"east": 0, "ene": 22.5, "north": 90, "west": 180, "wsw": 202.5, "south": 270})
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
	assert.ErrorContains(t, must.Fail(s.Nearest(ctx, 3, vectors.Term{Word: "east"}, vectors.Term{Word: "east", Minus: true})), "these words sum to zero")
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, must.Fail(s.Nearest(stopped, 3, vectors.Term{Word: "east"})), context.Canceled)
}
