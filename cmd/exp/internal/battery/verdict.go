package battery

import (
	"context"
	"math/rand/v2"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/sample"
)

// VerdictShare says how much of what a ranking spreads over a review of the sample
// falls on the words that decide its label, which its grammar knows.
type VerdictShare struct {
	Ranking   string
	Reviews   int
	Share     float64 // mean over the reviews
	Low, High float64 // 95 % interval, bootstrap over the reviews
	Uniform   float64 // the same if all words had equal shares
	First     float64 // share of reviews whose first word in the ranking is such a word
}

// VerdictShares returns that of the sizes of scores, scaled to add up to one, of those
// that the model has, over the first limit of each
// class of the sample's test reviews (0: all). Words that the model does not see have
// no share.
func VerdictShares(ctx context.Context, m *infer.Model, rankings []*scores.Score, limit int, seed uint64) ([]VerdictShare, error) {
	_, test := sample.Reviews()
	if limit > 0 {
		seen := [2]int{}
		test = slices.DeleteFunc(test, func(r sample.Review) bool { seen[r.Label]++; return seen[r.Label] > limit })
	}
	split, decides := &infer.Split{}, make([][]bool, len(test))
	for i, r := range test {
		split.Texts, split.Names = append(split.Texts, m.Encode(r.Text)), append(split.Names, r.ID)
		decides[i] = verdictWords(r, split.Texts[i])
	}
	s, err := NewSubject(ctx, m, split, rankings, seed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var out []VerdictShare
	for _, ranking := range s.Scores {
		list, err := s.Of(ctx, ranking)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i] = scores.Size(list[i])
		}
		out = append(out, verdictShare(ranking.Title, list, decides, seed))
	}
	return out, nil
}

// verdictWords tells of each word that the model sees whether it decides: a word of
// the sample begins behind each space.
func verdictWords(r sample.Review, e infer.Encoded) []bool {
	at := map[int]bool{}
	word, next := 0, 0
	for _, v := range r.Verdict { // rising
		for ; word < v; word++ {
			for r.Text[next] != ' ' {
				next++
			}
			next++
		}
		at[next] = true
	}
	out := make([]bool, len(e.Rows))
	for i, w := range e.Words {
		out[i] = w.End > w.Start && at[w.Start]
	}
	return out
}

// verdictResamples is how many times the reviews are drawn again.
const verdictResamples = 2000

func verdictShare(ranking string, weights [][]float32, decides [][]bool, seed uint64) VerdictShare {
	v := VerdictShare{Ranking: ranking, Reviews: len(weights)}
	share := make([]float64, len(weights))
	for i, all := range weights {
		total, hits := 0.0, 0
		for k, w := range all {
			total += float64(w)
			if decides[i][k] {
				hits++
				share[i] += float64(w)
			}
		}
		if total > 0 {
			share[i] /= total
		}
		if decides[i][falling(all)[0]] {
			v.First++
		}
		v.Share += share[i]
		v.Uniform += float64(hits) / float64(len(all))
	}
	n := float64(len(weights))
	v.Share, v.Uniform, v.First = v.Share/n, v.Uniform/n, v.First/n
	draw, means := rand.New(rand.NewPCG(seed, 0x76657264696374)), make([]float64, verdictResamples)
	for b := range means {
		for range share {
			means[b] += share[draw.IntN(len(share))]
		}
		means[b] /= n
	}
	slices.Sort(means)
	v.Low, v.High = means[verdictResamples*25/1000], means[verdictResamples*975/1000-1]
	return v
}
