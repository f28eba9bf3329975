package infer

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
)

// EraseShares are the shares of a review's words that Erase removes.
var EraseShares = []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.30, 0.40, 0.50}

// Rankings by which Erase chooses words.
const (
	ByAttention = "attention"
	ByGradient  = "gradient × input"
	AtRandom    = "random"
)

// Erasure says what becomes of a model's answers when words are taken from reviews:
// if a ranking finds the words that an answer rests on, the answer falls when they go
// and stays when only they are left.
type Erasure struct {
	Reviews  int
	Accuracy float64 // share of whole reviews that the model gets right
	P        float64 // mean probability of the class predicted from whole reviews, c
	Curves   []ErasureCurve
}

// ErasureCurve is one ranking; its numbers follow EraseShares.
type ErasureCurve struct {
	Ranking           string
	Accuracy          []float64 // share right without the first words of the ranking
	P                 []float64 // mean probability of c without them
	KeptAccuracy      []float64 // share right with only the first words of the ranking
	Comprehensiveness []Mean    // p_c of the whole review − p_c without the first words
	Sufficiency       []Mean    // p_c of the whole review − p_c of the first words alone
}

// Mean is a mean over reviews with half the width of its 95 % interval, 1.96
// standard errors.
type Mean struct{ Mean, Half float64 }

// AOPC returns the area over the perturbation curve, the mean over the shares
// (DeYoung et al. 2020, section 4.2; Samek et al. 2017).
func AOPC(list []Mean) float64 {
	sum := 0.0
	for _, m := range list {
		sum += m.Mean
	}
	return sum / float64(len(list))
}

// eraseTexts is how many reviews are worked on at once.
const eraseTexts = 128

// Erase removes from each review of a split, for each of EraseShares, the words
// with the largest attention, as many with the largest gradient × input, and as
// many at random, and asks the model again; and it asks about these words alone. A
// share is rounded up to whole words; where no word is left, the text counts as one
// word without a vector. Random words follow from the seed and the review's number
// alone. A model without attention has two rankings.
//
// Jain and Wallace 2019 and Serrano and Smith 2019 doubt by such experiments that
// attention explains answers; comprehensiveness and sufficiency are those of DeYoung
// et al. 2020 (ERASER).
//
// progress hears how many reviews are done; it may be nil.
func (m *Model) Erase(ctx context.Context, s *Split, seed uint64, progress func(done int)) (*Erasure, error) {
	g, err := m.Gradients()
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if s.Len() == 0 {
		return nil, errors.New("no reviews to take words from")
	}
	var sums eraseSums
	for lo := 0; lo < s.Len(); lo += eraseTexts {
		hi := min(lo+eraseTexts, s.Len())
		w, err := m.weighed(ctx, g, s.Texts[lo:hi], s.Names[lo:hi])
		if err != nil {
			return nil, err
		}
		rankings, order := w.orders(seed, lo)
		sums.begin(rankings)
		if err := m.erase(ctx, w, order, s.Labels[lo:hi], &sums); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(hi)
		}
	}
	return sums.erasure(), nil
}

// weighed are some reviews with what the model says about them as they are.
type weighed struct {
	texts     []Encoded
	class     []int       // predicted
	p         []float64   // its probability
	attention [][]float32 // of each word; nil for a model without
	gradient  [][]float32 // |gradient × input| of each word
}

// weighed asks about reviews, which errors call by their names.
func (m *Model) weighed(ctx context.Context, g *Gradients, texts []Encoded, names []string) (*weighed, error) {
	n := len(texts)
	w := &weighed{texts, make([]int, n), make([]float64, n), make([][]float32, n), make([][]float32, n)}
	err := m.Each(ctx, texts, func(i int, b *Batch, k int) (err error) {
		w.class[i] = b.Class(k)
		w.p[i] = float64(b.P(k)[w.class[i]])
		w.attention[i], err = b.Attention(k)
		return err
	})
	if err != nil {
		return nil, called(err, func(e *LongError) { e.Name = names[e.Text] })
	}
	for _, group := range m.cut(texts) {
		list := make([]Encoded, len(group))
		for k, i := range group {
			list[k] = texts[i]
		}
		size, err := g.TimesInput(list, func(k int) int { return w.class[group[k]] })
		if err != nil {
			return nil, err
		}
		for k, i := range group {
			w.gradient[i] = size[k]
		}
	}
	return w, nil
}

// orders returns the rankings of the words of each review, the first to go first:
// places [ranking][review]. The first review has the number first.
func (w *weighed) orders(seed uint64, first int) (rankings []string, order [][][]int) {
	add := func(ranking string, of func(i int) []int) {
		all := make([][]int, len(w.texts))
		for i := range all {
			all[i] = of(i)
		}
		rankings, order = append(rankings, ranking), append(order, all)
	}
	if w.attention[0] != nil {
		add(ByAttention, func(i int) []int { return falling(w.attention[i]) })
	}
	add(ByGradient, func(i int) []int { return falling(w.gradient[i]) })
	add(AtRandom, func(i int) []int {
		var out []int
		for _, k := range dataset.Shuffle(len(w.texts[i].Rows), seed, uint64(first+i)) {
			out = append(out, int(k))
		}
		return out
	})
	return rankings, order
}

// falling returns the places of weights, largest first, the earlier of equals first.
func falling(weights []float32) []int {
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	return order
}

// erase asks the model about the reviews without some of their words, and about
// these alone, and adds up its answers.
func (m *Model) erase(ctx context.Context, w *weighed, orders [][][]int, labels []int32, sums *eraseSums) error {
	n := len(w.texts)
	var list []Encoded // [ranking][share][without, alone][review]
	for _, order := range orders {
		for _, share := range EraseShares {
			without, alone := make([]Encoded, n), make([]Encoded, n)
			for i, t := range w.texts {
				count := min(int(math.Ceil(share*float64(len(t.Rows)))), len(t.Rows))
				without[i], alone[i] = divide(t, order[i][:count])
			}
			list = append(append(list, without...), alone...)
		}
	}
	class, p := make([]int, len(list)), make([]float64, len(list))
	err := m.Each(ctx, list, func(j int, b *Batch, k int) error {
		class[j], p[j] = b.Class(k), float64(b.P(k)[w.class[j%n]])
		return nil
	})
	if err != nil {
		return err
	}
	for i := range w.texts {
		sums.review(w.class[i] == int(labels[i]), w.p[i])
	}
	for j := range list {
		i, half := j%n, j/n // half: of a ranking and share, without the words or they alone
		sums.add(half/2/len(EraseShares), half/2%len(EraseShares), half%2 == 1, class[j] == int(labels[i]), p[j], w.p[i])
	}
	return nil
}

// divide parts a text into the words that are left without those at the given
// places, and these alone, both in the order of the text.
func divide(t Encoded, places []int) (without, alone Encoded) {
	taken := make([]bool, len(t.Rows))
	for _, k := range places {
		taken[k] = true
	}
	for k, row := range t.Rows {
		if taken[k] {
			alone.Rows = append(alone.Rows, row)
		} else {
			without.Rows = append(without.Rows, row)
		}
	}
	if len(without.Rows) == 0 {
		without.Rows = []int32{embedding.OOVRow}
	}
	return without, alone
}
