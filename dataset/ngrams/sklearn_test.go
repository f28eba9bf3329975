package ngrams_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/ngrams"
	"imdbexp/internal/convex"
	"imdbexp/internal/sparse"
	"imdbexp/internal/testkit/must"
)

// The figures below are scikit-learn's (1.2.1), of these texts:
//
//	X = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)).fit_transform(docs)
//	T = TfidfTransformer(sublinear_tf=…).fit_transform(X)
//	LogisticRegression(C=10, tol=1e-12, max_iter=100000, solver="newton-cg").fit(T, y)
//	LogisticRegression(…, multi_class="multinomial").fit(T, y3)
//	LinearSVC(C=1, loss="squared_hinge", dual=False, tol=1e-12).fit(T, y), and of y3
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
	transposed := must.Get(ones.Transpose(pool))(t)
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
		{"squared hinge", convex.Problem{X: tfidf, Labels: two, Classes: 2, Loss: convex.SquaredHinge, Bias: convex.RegularisedBias}, []fitted{
			{0.012593, [4]float64{0.5637, -0.768685, -0.038092, -0.538861}, 1.640012}}},
		{"squared hinge, three classes", convex.Problem{X: tfidf, Labels: three, Classes: 3, Loss: convex.SquaredHinge, Bias: convex.RegularisedBias}, []fitted{
			{-0.012593, [4]float64{-0.5637, 0.768685, 0.038092, 0.538861}, 1.640012},
			{-0.171923, [4]float64{-0.011971, -0.630524, -0.207074, -0.182535}, 1.552058},
			{-0.539318, [4]float64{0.417535, -0.293905, 0.057054, -0.408795}, 1.244864}}},
		{"nbsvm", convex.Problem{X: ones, Labels: two, Classes: 2, Scale: ratios}, []fitted{
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
