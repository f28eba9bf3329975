package ngrams_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/ngrams"
	"imdbexp/internal/ops"
	"imdbexp/internal/sparse"
	"imdbexp/internal/testkit/must"
)

// reviews are texts whose words are numbered in the order of their bytes.
func reviews(texts ...string) (*dataset.Split, []string) {
	var vocab []string
	for _, t := range texts {
		vocab = append(vocab, strings.Fields(t)...)
	}
	slices.Sort(vocab)
	vocab = slices.Compact(vocab)
	s := &dataset.Split{Offsets: []int{0}}
	for _, t := range texts {
		for _, w := range strings.Fields(t) {
			id, _ := slices.BinarySearch(vocab, w)
			s.IDs = append(s.IDs, int32(id))
		}
		s.Offsets = append(s.Offsets, len(s.IDs))
		s.Labels = append(s.Labels, 0)
	}
	return s, vocab
}

func learn(t *testing.T, o ngrams.Options, texts ...string) *ngrams.Features {
	r, vocab := reviews(texts...)
	f := must.Get(ngrams.Learn(sparse.Serial{}, r, vocab, o))(t)
	return f
}

func names(f *ngrams.Features) (out []string) {
	for i := range f.Len() {
		out = append(out, f.Name(i))
	}
	return out
}

var some = []string{"a b a b c", "b a b", "c", "", "a b c"}

func TestLearn(t *testing.T) {
	for _, x := range []struct {
		name string
		o    ngrams.Options
		want string
	}{
		{"words", ngrams.Options{}, "b,a,c"},
		{"pairs", ngrams.Options{Max: 2}, "b,a,a b,c,b a,b c"},
		{"all", ngrams.Options{Max: 3}, "b,a,a b,c,b a,b c,b a b,a b c,a b a"},
		{"most", ngrams.Options{Max: 5, MinCount: 2}, "b,a,a b,c,b a,b c,b a b,a b c"},
		{"top", ngrams.Options{Max: 3, Top: 3}, "b,a,a b"},
		{"top of equals", ngrams.Options{Max: 3, Top: 8}, "b,a,a b,c,b a,b c,b a b,a b c"},
	} {
		f := learn(t, x.o, some...)
		assert.Equal(t, x.want, strings.Join(names(f), ","), x.name)
		assert.Equal(t, 5, f.Trained)
	}
	f := learn(t, ngrams.Options{Max: 3}, some...)
	for i, want := range [][3]int{{5, 3, 1}, {4, 3, 1}, {4, 3, 2}, {3, 3, 1}, {2, 2, 2}} {
		n, docs := f.Count(i)
		assert.Equal(t, want, [3]int{n, docs, f.Size(i)}, f.Name(i))
	}
}

func TestEncode(t *testing.T) {
	f := learn(t, ngrams.Options{Max: 3, MinCount: 2}, some...)
	r, vocab := reviews("a b a b c", "", "x", "b x a b", "zz b a c")
	m := must.Get(f.Encode(sparse.Serial{}, r, vocab, false))(t)
	row := func(m *sparse.Matrix, i int) map[string]float32 {
		index, value := m.Row(i)
		out := map[string]float32{}
		for j, c := range index {
			out[f.Name(int(c))] = 1
			if value != nil {
				out[f.Name(int(c))] = value[j]
			}
		}
		return out
	}
	assert.Equal(t, map[string]float32{"a": 2, "b": 2, "c": 1, "a b": 2, "b a": 1, "b c": 1, "b a b": 1, "a b c": 1}, row(m, 0))
	assert.Empty(t, row(m, 1))
	assert.Empty(t, row(m, 2))
	assert.Equal(t, map[string]float32{"a": 1, "b": 2, "a b": 1}, row(m, 3))
	assert.Equal(t, map[string]float32{"a": 1, "b": 1, "c": 1, "b a": 1}, row(m, 4))
	ones := must.Get(f.Encode(sparse.Serial{}, r, vocab, true))(t)
	assert.Nil(t, ones.Value)
	assert.Equal(t, m.Index, ones.Index)
	one := must.Get(f.EncodeText(strings.Fields("b x a b"), false))(t)
	assert.Equal(t, row(m, 3), row(one, 0))
	var found []string
	for _, o := range f.Find(strings.Fields("x a b c")) {
		assert.Equal(t, o.To-o.From, f.Size(o.Feature))
		found = append(found, f.Name(o.Feature))
	}
	assert.Equal(t, []string{"a", "a b", "a b c", "b", "b c", "c"}, found)
	assert.Empty(t, f.Find(nil))
}

func TestHostile(t *testing.T) {
	for _, x := range []struct {
		want  string
		o     ngrams.Options
		texts []string
	}{
		{"no review", ngrams.Options{}, nil},
		{"no word", ngrams.Options{}, []string{"", ""}},
		{"no word", ngrams.Options{MinCount: 9}, some},
	} {
		r, vocab := reviews(x.texts...)
		require.ErrorContains(t, must.Fail(ngrams.Learn(sparse.Serial{}, r, vocab, x.o)), x.want)
	}
	assert.Equal(t, []string{"a"}, names(learn(t, ngrams.Options{Max: 5}, "a")), "n-grams longer than the text")
}

// What a review is to a simple count it is to Learn and Encode, for any number of workers.
func TestAgainstSimpleCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 300)
	for i := range texts {
		words := make([]string, rng.IntN(40))
		for j := range words {
			words[j] = string(rune('a' + rng.IntN(1+rng.IntN(12))))
		}
		texts[i] = strings.Join(words, " ")
	}
	o := ngrams.Options{Max: 4, MinCount: 3, Top: 900}
	r, vocab := reviews(texts...)
	type counts struct{ n, docs int }
	all := map[string]counts{}
	for _, text := range texts {
		words, seen := strings.Fields(text), map[string]bool{}
		for i := range words {
			for n := 1; n <= o.Max && i+n <= len(words); n++ {
				name := strings.Join(words[i:i+n], " ")
				c := all[name]
				c.n++
				if !seen[name] {
					c.docs++
				}
				seen[name], all[name] = true, c
			}
		}
	}
	want := 0
	for _, c := range all {
		if c.n >= o.MinCount {
			want++
		}
	}
	require.Greater(t, want, o.Top, "the limit is tried")
	var first []byte
	for _, workers := range []int{1, 2, 3, 7} {
		pool := ops.NewPool(workers)
		defer pool.Close()
		f := must.Get(ngrams.Learn(pool, r, vocab, o))(t)
		require.Equal(t, o.Top, f.Len())
		sum := 0
		for i, name := range names(f) {
			n, docs := f.Count(i)
			require.Equal(t, all[name], counts{n, docs}, name)
			sum += n
		}
		m := must.Get(f.Encode(pool, r, vocab, false))(t)
		for _, x := range m.Value {
			sum -= int(x)
		}
		require.Zero(t, sum, "Encode counts what Learn did")
		b := must.Get(f.MarshalBinary())(t)
		if first == nil {
			first = b
		}
		require.Equal(t, first, b)
	}
}

// Neither the numbers of the words nor words of other texts have a part in the features.
func TestNumberingIsOfTrain(t *testing.T) {
	r, vocab := reviews(some...)
	other := &dataset.Split{Offsets: r.Offsets, Labels: r.Labels}
	vocab2 := []string{"x", "c", "a", "y", "b"}
	for _, id := range r.IDs {
		other.IDs = append(other.IDs, int32(slices.Index(vocab2, vocab[id])))
	}
	f := must.Get(ngrams.Learn(sparse.Serial{}, r, vocab, ngrams.Options{Max: 3}))(t)
	g := must.Get(ngrams.Learn(sparse.Serial{}, other, vocab2, ngrams.Options{Max: 3}))(t)
	assert.Equal(t, f, g)
}

func TestBinary(t *testing.T) {
	f := learn(t, ngrams.Options{Max: 3}, some...)
	b := must.Get(f.MarshalBinary())(t)
	var g ngrams.Features
	require.NoError(t, g.UnmarshalBinary(b))
	assert.Equal(t, f, &g)
	for i := range b {
		require.Error(t, new(ngrams.Features).UnmarshalBinary(b[:i]))
	}
	require.ErrorContains(t, g.UnmarshalBinary(append(b, 0)), "damaged")
}

func FuzzUnmarshal(f *testing.F) {
	r, vocab := reviews(some...)
	features := must.Get(ngrams.Learn(sparse.Serial{}, r, vocab, ngrams.Options{Max: 3}))(f)
	b, _ := features.MarshalBinary()
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var g ngrams.Features
		if g.UnmarshalBinary(b) != nil {
			return
		}
		names(&g)
		g.IDF()
		must.Get(g.EncodeText(strings.Fields("a b a b c"), false))(t)
	})
}

// The kept n-grams keep their order, with the parts that lead to them.
func TestKeep(t *testing.T) {
	const text = "a good film and a bad film and a good story and a good film"
	words := strings.Fields(text)
	vocab, ids := []string{}, map[string]int32{}
	var review reviewOf
	for _, w := range words {
		if _, met := ids[w]; !met {
			ids[w] = int32(len(vocab))
			vocab = append(vocab, w)
		}
		review = append(review, ids[w])
	}
	f := must.Get(ngrams.Learn(sparse.Serial{}, review, vocab, ngrams.Options{Max: 3}))(t)
	at := map[string]int{}
	for i := range f.Len() {
		at[f.Name(i)] = i
	}
	keep := make([]bool, f.Len())
	keep[at["a good film"]] = true
	kept, which := f.Keep(keep)
	require.Equal(t, kept.Len(), len(which))
	var names []string
	for i, w := range which {
		require.Equal(t, f.Name(int(w)), kept.Name(i))
		names = append(names, kept.Name(i))
	}
	require.ElementsMatch(t, []string{"a", "good", "film", "a good", "a good film"}, names, "parts that lead to it, and its words")
	// All of it kept is the same.
	for i := range keep {
		keep[i] = true
	}
	kept, _ = f.Keep(keep)
	one := must.Get(f.MarshalBinary())(t)
	two := must.Get(kept.MarshalBinary())(t)
	require.Equal(t, one, two)
}

type reviewOf []int32

func (reviewOf) Len() int            { return 1 }
func (r reviewOf) Words(int) []int32 { return r }
