package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/dataset/ngrams"
	"imdbexp/dataset/token"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// leftTensor knows the n-grams that CutNgrams has left out.
const leftTensor = "ngrams.left"

// CutNgrams keeps of the n-grams that the model counts, alone or beside a network, about the
// most that move scores most over the train reviews, by |w|·√(reviews that have it), with the
// parts that they are found by; and all of those of some texts, of which the model then says
// what it said before. Beside a network only n-grams of words in its table are ever met, so
// that Cut comes first. most is 0 for all. It returns how many are kept, and of how many.
func (t *Trained) CutNgrams(most int, texts ...string) (kept, of int, err error) {
	features, weights := featuresTensor, "W"
	if t.Config.Wide() {
		features, weights = models.WideFeatures, models.WidePrefix+"W"
	} else if !t.Config.Counts() {
		return 0, 0, nil
	}
	at := slices.IndexFunc(t.Weights, func(w runs.Tensor) bool { return w.Name == features })
	in := slices.IndexFunc(t.Weights, func(w runs.Tensor) bool { return w.Name == weights })
	if at < 0 || in < 0 {
		return 0, 0, errors.New("the n-grams or their weights are missing")
	}
	b, _ := t.Weights[at].Data.([]byte)
	w, _ := t.Weights[in].Data.([]float32)
	f := new(ngrams.Features)
	if err := f.UnmarshalBinary(b); err != nil {
		return 0, 0, err
	}
	n := f.Len()
	if n == 0 || len(w) == 0 || len(w)%n != 0 {
		return 0, 0, fmt.Errorf("%d weights for %d n-grams", len(w), n)
	}
	if most <= 0 || most >= n {
		return n, n, nil
	}
	keep, err := t.tellingNgrams(f, w, most, texts)
	if err != nil {
		return 0, 0, err
	}
	cut, which := f.Keep(keep)
	left, err := f.Without(cut).MarshalBinary()
	if err != nil {
		return 0, 0, err
	}
	if b, err = cut.MarshalBinary(); err != nil {
		return 0, 0, err
	}
	k := len(w) / n
	rows := make([]float32, 0, len(which)*k)
	for _, i := range which {
		rows = append(rows, w[int(i)*k:][:k]...)
	}
	t.Weights = slices.Clone(t.Weights)
	t.Weights[at] = runs.Tensor{Name: features, Shape: []int{len(b)}, Data: b}
	t.Weights[in] = runs.Tensor{Name: weights, Shape: []int{len(which), k}, Data: rows}
	t.Weights = append(t.Weights, runs.Tensor{Name: leftTensor, Shape: []int{len(left)}, Data: left})
	if t.Config.Counts() {
		t.Table = wordsOnly(cut.Words)
	}
	return len(which), n, nil
}

// tellingNgrams chooses n-grams.
func (t *Trained) tellingNgrams(f *ngrams.Features, w []float32, most int, texts []string) ([]bool, error) {
	n, k := f.Len(), len(w)/f.Len()
	size := make([]float64, n)
	order := make([]int, n)
	for i := range n {
		order[i] = i
		_, reviews := f.Count(i)
		for _, x := range w[i*k:][:k] {
			size[i] = max(size[i], math.Abs(float64(x))*math.Sqrt(float64(reviews)))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	keep := make([]bool, n)
	for _, i := range order[:most] {
		keep[i] = true
	}
	r := settings.Run{}
	if _, err := t.model(&r); err != nil {
		return nil, err
	}
	tok, err := token.Get(r.Tokenizer())
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		var words []string
		for _, x := range token.Tokens(tok, text) {
			words = append(words, x.Word)
		}
		for _, o := range f.Find(words) {
			keep[o.Feature] = true
		}
	}
	return keep, nil
}

// leftOut finds what CutNgrams has left out; nil for nothing.
func (t *Trained) leftOut() (*ngrams.Left, error) {
	i := slices.IndexFunc(t.Weights, func(w runs.Tensor) bool { return w.Name == leftTensor })
	if i < 0 {
		return nil, nil
	}
	b, _ := t.Weights[i].Data.([]byte)
	l := new(ngrams.Left)
	return l, l.UnmarshalBinary(b)
}

// LeftOut returns how many n-grams CutNgrams has left the model and how many it has taken,
// and how many of these a text has at most; cut is false of a model that has all of its own.
func (m *Model) LeftOut(e Encoded) (lacks, kept, left int, cut bool) {
	scorer := m.counter()
	if m.left == nil || scorer == nil {
		return 0, 0, 0, false
	}
	words := make([]string, len(e.Words))
	for i, w := range e.Words {
		words[i] = w.Word
	}
	return m.left.Count(scorer.Features, words), scorer.Features.Len(), m.left.N, true
}

// counter is what counts n-grams, alone or beside a network; nil where nothing does.
func (m *Model) counter() *counts.Scorer { return cmp.Or(m.scorer, m.wide) }
