package models_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"imdbexp/dataset/ngrams"
	"imdbexp/internal/settings"
	"imdbexp/internal/sparse"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
	"imdbexp/models/counts"

	"github.com/stretchr/testify/require"
)

// reviews are texts over a vocabulary.
type reviews [][]int32

func (r reviews) Len() int            { return len(r) }
func (r reviews) Words(b int) []int32 { return r[b] }

// scorer has random weights for the n-grams of a few texts.
func scorer(t *testing.T, model string, classes int) *counts.Scorer {
	t.Helper()
	vocabulary := []string{"a", "bad", "film", "not", "good"}
	texts := reviews{{0, 1, 2}, {0, 4, 2}, {3, 1}, {3, 4, 2}, {0, 4, 2, 0, 1, 2}}
	info := must.Get(models.Lookup(model))(t)
	m := info.New()
	must.Get(settings.New(m))(t)
	f := must.Get(ngrams.Learn(sparse.Serial{}, texts, vocabulary, ngrams.Options{Max: 3}))(t)
	s := counts.New(m.(models.Counting).Counts(), f, classes)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, w := range s.Weights() {
		for i := range w.Data {
			w.Data[i] = float32(rng.NormFloat64())
		}
	}
	s.Refresh()
	return s
}

// An explanation adds up to the scores, and its words to its terms.
func TestExplanationAddsUp(t *testing.T) {
	for _, model := range []string{"nbsvm", "bow-lr"} {
		for _, classes := range []int{2, 3} {
			s := scorer(t, model, classes)
			for _, text := range []string{"a good film", "not a bad film at all , a good film", "", "other words", "film film film"} {
				words := strings.Fields(text)
				ids := make([]int32, len(words))
				for i := range ids {
					ids[i] = int32(i)
				}
				x := must.Get(s.Matrix(sparse.Serial{}, reviews{ids}, words))(t)
				z := must.Get(s.Scores(sparse.Serial{}, x))(t)
				require.Len(t, z, classes)
				e := must.Get(s.Explain(words, classes-1))(t)
				var others, all, byWord float64
				for c, v := range z {
					if c != e.For {
						others += float64(v) / float64(classes-1)
					}
				}
				require.InDelta(t, float64(z[e.For])-others, e.Score(), 1e-5, "%s of %d: %s", model, classes, text)
				for i, term := range e.Terms {
					all += term.Sum
					require.NotEmpty(t, term.Places)
					for _, p := range term.Places {
						require.Equal(t, term.Name, strings.Join(words[p.From:p.To], " "))
					}
					require.True(t, i == 0 || math.Abs(e.Terms[i-1].Sum) >= math.Abs(term.Sum), "the largest first")
				}
				for _, w := range e.Words {
					byWord += w
				}
				require.InDelta(t, all, byWord, 1e-9)
			}
		}
	}
}

func TestHeaviest(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s := scorer(t, "nbsvm", classes)
		for c := range classes {
			top := s.Heaviest(c, 4)
			require.Len(t, top, 4)
			for f := range s.Features.Len() {
				require.GreaterOrEqual(t, s.Weight(top[0], c), s.Weight(f, c))
			}
			for i := 1; i < len(top); i++ {
				require.GreaterOrEqual(t, s.Weight(top[i-1], c), s.Weight(top[i], c))
			}
			require.Len(t, s.Heaviest(c, 1000), s.Features.Len())
		}
	}
}

func TestScoresNeedTheirFeatures(t *testing.T) {
	s := scorer(t, "nbsvm", 2)
	require.ErrorContains(t, must.Fail(s.Scores(sparse.Serial{}, &sparse.Matrix{Rows: 1, Cols: 2, Start: []int{0, 0}})), "2 features")
}
