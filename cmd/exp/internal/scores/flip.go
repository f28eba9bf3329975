package scores

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"imdbexp/internal/format"
	"imdbexp/internal/infer"
)

// Flip is the smallest change found that changes a model's answer to a text.
type Flip struct {
	Places []int    // of the changed words, from 0, rising; nil if no change was found
	Others []string // the words that replace them; nil if they are removed
	Class  int      // predicted after the change
	P      float64  // probability of Class
	Tried  int      // all sets of up to this many words were tried
}

// Ways are the names of the changes that flip a text.
var Ways = []string{"remove", "replace"}

// maxTried is the max number of words in the sets that are all tried.
const maxTried = 3

// Flip finds the fewest words whose removal changes the class or, if way is "replace", replacement by
// the word with the nearest vector (cosine). First it changes the words with the largest scores until
// the class changes, then restores those that are not needed. If score is nil, a word's score is the
// loss of margin when only it is changed. Then it tries all sets of up to three and no more words than
// found, while the changed texts have at most the given number of words.
func (a *Asker) Flip(ctx context.Context, t Text, score []float32, way string, words int) (found *Flip, err error) {
	n := len(t.Rows)
	s := &flipping{Asker: a, text: t}
	if way == Ways[1] {
		if !vectors.has(a.model) {
			return nil, infer.SelectionErrorf("replacing words: %s", vectors.lack)
		}
		s.nearest, err = a.model.Nearest(ctx, t.Rows)
	}
	if score == nil && err == nil {
		score, err = s.alone(ctx)
	}
	if err != nil {
		return nil, err
	}
	found, err = s.greedy(ctx, infer.Argsort(score))
	if err != nil {
		return nil, err
	}
	for size := 1; size <= min(maxTried, n) && combin.Binomial(n, size) <= words/n && (found.Places == nil || len(found.Places) >= size); size++ {
		fewest, err := s.all(ctx, size)
		if err != nil {
			return nil, err
		}
		if found.Tried = size; fewest != nil {
			fewest.Tried, found = size, fewest
			break
		}
	}
	for _, i := range found.Places {
		if s.nearest != nil {
			found.Others = append(found.Others, a.model.Word(s.nearest[i]))
		}
	}
	return found, nil
}

// flipping is the search for a Flip.
type flipping struct {
	*Asker
	text    Text
	nearest []int32 // row that replaces each word; nil: words are removed
}

// change appends the text with the words at increasing places changed.
func (s *flipping) change(rows []int32, places []int) []int32 {
	for i, r := range s.text.Rows {
		switch {
		case len(places) == 0 || places[0] != i:
			rows = append(rows, r)
			continue
		case s.nearest != nil:
			rows = append(rows, s.nearest[i])
		}
		places = places[1:]
	}
	return rows
}

// flips calls f for each of n sets of places that changes the class.
func (s *flipping) flips(ctx context.Context, n int, set func(i int) []int, f func(i int, answer Flip)) error {
	return s.variants(ctx, s.text, n, func(rows []int32, i int) []int32 { return s.change(rows, set(i)) }, func(i int, b *infer.Batch, k int) {
		if c := b.Class(k); c != s.text.Class {
			f(i, Flip{Places: set(i), Class: c, P: float64(b.P(k)[c])})
		}
	})
}

// alone returns minus the margin when only one word is changed, for each.
func (s *flipping) alone(ctx context.Context) ([]float32, error) {
	score := make([]float32, len(s.text.Rows))
	return score, s.variants(ctx, s.text, len(score), func(rows []int32, i int) []int32 { return s.change(rows, []int{i}) },
		func(i int, b *infer.Batch, k int) { score[i] = -float32(Margin(b.Logits(k), s.text.Class)) })
}

// greedy changes words in an order until the class changes, and restores those that are not needed,
// the last first.
func (s *flipping) greedy(ctx context.Context, order []int) (*Flip, error) {
	first, found := len(order), &Flip{}
	err := s.flips(ctx, len(order), func(i int) []int { return slices.Sorted(slices.Values(order[:i+1])) }, func(i int, f Flip) {
		if i < first {
			first, found = i, &f
		}
	})
	for i := min(first, len(order)-1); i >= 0 && err == nil && len(found.Places) > 1; i-- {
		fewer := slices.DeleteFunc(slices.Clone(found.Places), func(at int) bool { return at == order[i] })
		err = s.flips(ctx, 1, func(int) []int { return fewer }, func(_ int, f Flip) { found = &f })
	}
	return found, err
}

// all returns the most probable flip by size words; nil if there is none.
func (s *flipping) all(ctx context.Context, size int) (best *Flip, err error) {
	n := len(s.text.Rows)
	err = s.flips(ctx, combin.Binomial(n, size), func(i int) []int { return combin.IndexToCombination(nil, i, n, size) }, func(_ int, f Flip) {
		if best == nil || f.P > best.P || f.P == best.P && slices.Compare(f.Places, best.Places) < 0 {
			best = &f
		}
	})
	return best, err
}

// Says describes the flip of a text of the given words in a sentence.
func (f *Flip) Says(words []string, classes []string) string {
	if f.Places == nil {
		return "No change of words was found that changes the answer."
	}
	var list []string
	for k, i := range f.Places {
		text := fmt.Sprintf("%q (%d)", words[i], i+1)
		if f.Others != nil {
			text = fmt.Sprintf("%q instead of %s", f.Others[k], text)
		}
		list = append(list, text)
	}
	what := map[bool]string{true: "Without ", false: "With "}[f.Others == nil]
	text := what + strings.Join(list, ", ") + " the answer is " + classes[f.Class] + " (" + format.Share(float32(f.P)) + "). "
	switch {
	case len(f.Places) <= f.Tried+1:
		return text + "No fewer words change it."
	case f.Tried == 0:
		return text + "Fewer words may change it: the text is too long to try all."
	default:
		return text + fmt.Sprintf("No set of up to %s changes it; larger ones were not all tried.", format.Counted(f.Tried, "word"))
	}
}
