package dataset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/ngrams"
	"imdbexp/internal/convex"
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

func TestEncodeNgrams(t *testing.T) {
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
	assert.Equal(t, row(m, 3), row(encodeText(t, f, "b x a b"), 0))
	var found []string
	for _, o := range f.Find(strings.Fields("x a b c")) {
		assert.Equal(t, o.To-o.From, f.Size(o.Feature))
		found = append(found, f.Name(o.Feature))
	}
	assert.Equal(t, []string{"a", "a b", "a b c", "b", "b c", "c"}, found)
	assert.Empty(t, f.Find(nil))
}

// encodeText counts the features of one text: a matrix of one row.
func encodeText(t *testing.T, f *ngrams.Features, text string) *sparse.Matrix {
	t.Helper()
	one, vocab := reviews(text)
	return must.Get(f.Encode(sparse.Serial{}, one, vocab, false))(t)
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
		encodeText(t, &g, "a b a b c")
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

// The figures below are scikit-learn's (1.2.1), of these texts:
//
//	X = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)).fit_transform(docs)
//	T = TfidfTransformer(sublinear_tf=…).fit_transform(X)
//	LogisticRegression(C=10, tol=1e-12, max_iter=100000, solver="newton-cg").fit(T, y)
//	LogisticRegression(…, multi_class="multinomial").fit(T, y3)
//	B = X > 0; p = 1 + B[y==1].sum(0); q = 1 + B[y==0].sum(0); r = log((p/p.sum())/(q/q.sum()))
//	LogisticRegression(C=1, tol=1e-12, solver="newton-cg").fit(B.multiply(r), y)
var docs = []string{"a good good film", "not a good film", "bad film , bad", "a bad bad plot", "good plot", "fine film , fine plot"}

var looked = []string{"good", "bad", "film", "not a"}

type fitted struct {
	bias    float64
	weights [4]float64 // of looked
	norm    float64
}

func TestAgainstScikitLearn(t *testing.T) {
	two, three := []int32{1, 0, 0, 0, 1, 1}, []int32{2, 0, 0, 0, 1, 1}
	pool := sparse.Serial{}
	r, vocab := reviews(docs...)
	f := must.Get(ngrams.Learn(pool, r, vocab, ngrams.Options{Max: 2}))(t)
	require.Equal(t, 22, f.Len())
	for _, x := range []struct {
		sublinear bool
		want      map[string]float64
	}{
		{false, map[string]float64{"a": 0.306763, "a good": 0.363348, "film": 0.262873, "good": 0.613526, "good film": 0.363348, "good good": 0.443099}},
		{true, map[string]float64{"a": 0.324557, "a good": 0.384423, "film": 0.27812, "good": 0.549522, "good film": 0.384423, "good good": 0.468801}},
	} {
		m := must.Get(f.Encode(pool, r, vocab, false))(t)
		require.NoError(t, ngrams.TFIDF(pool, m, f.IDF(), x.sublinear))
		index, value := m.Row(0)
		require.Len(t, index, len(x.want))
		for j, c := range index {
			assert.InDelta(t, x.want[f.Name(int(c))], value[j], 1e-6, f.Name(int(c)))
		}
	}
	tfidf := must.Get(f.Encode(pool, r, vocab, false))(t)
	require.NoError(t, ngrams.TFIDF(pool, tfidf, f.IDF(), false))
	ones := must.Get(f.Encode(pool, r, vocab, true))(t)
	transposed := ones.Transpose()
	ratios := must.Get(convex.LogCountRatios(pool, transposed, two, 2, 1))(t)
	at := func(name string) int { return slices.Index(names(f), name) }
	for i, want := range []float64{0.455476, -1.048602, 0.05001, -0.643137} {
		assert.InDelta(t, want, ratios[at(looked[i])], 1e-6)
	}
	for _, x := range []struct {
		name string
		p    convex.Problem
		want []fitted // of each column
	}{
		{"logistic", convex.Problem{X: tfidf, Labels: two, Classes: 2, C: 10}, []fitted{
			{0.038, [4]float64{1.365186, -1.91321, -0.101858, -1.264681}, 3.985985}}},
		{"softmax", convex.Problem{X: tfidf, Labels: three, Classes: 3, C: 10}, []fitted{
			{0.676611, [4]float64{-1.053853, 1.348479, 0.064063, 0.954079}, 2.8743},
			{0.221651, [4]float64{-0.063173, -0.919345, -0.351995, -0.348414}, 2.769681},
			{-0.898262, [4]float64{1.117026, -0.429134, 0.287932, -0.605664}, 2.415194}}},
		{"nbsvm", convex.Problem{X: ones, Labels: two, Classes: 2, C: 1, Scale: ratios}, []fitted{
			{0.162287, [4]float64{0.14671, 0.64429, -0.003786, 0.291084}, 1.094418}}},
	} {
		s := must.Get(convex.New(pool, x.p, 1e-10))(t)
		for !s.Report().Done {
			must.Get(s.Step())(t)
		}
		require.Less(t, s.Report().Iteration, 30, x.name)
		w, b := s.Weights()
		for k, want := range x.want {
			const near = 2e-6 // figures have six digits, our features are float32
			assert.InDelta(t, want.bias, b[k], near, x.name)
			var got [4]float64
			for i, name := range looked {
				got[i] = w[at(name)*len(b)+k]
			}
			assert.InDeltaSlice(t, want.weights[:], got[:], near, x.name)
			var squares float64
			for i := k; i < len(w); i += len(b) {
				squares += w[i] * w[i]
			}
			assert.InDelta(t, want.norm, math.Sqrt(squares), near, x.name)
		}
	}
}
