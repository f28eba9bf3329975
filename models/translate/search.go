package translate

import (
	"errors"
	"math"
	"slices"

	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// search is the beam search for the translation of one sentence (Sutskever et al. 2014, section
// 3.2; Bahdanau et al. 2015). Each step extends all hypotheses by all words and keeps the
// likeliest few. A hypothesis that ends with end-of-sentence leaves the beam, which is narrower
// by one from then on. A beam of one is greedy search.
//
// Finished translations of different lengths compare by log p / rows^alpha (Wu et
// al. 2016, section 7, with rows^alpha for their length penalty).
type search struct {
	beam    int // hypotheses still to be found
	alpha   float64
	rows    int // of each live hypothesis
	maxRows int
	live    []hypothesis // by falling logProb
	best    *Translation // of those that have ended, the first of equal scores; nil before
}

// hypothesis is the beginning of a translation.
type hypothesis struct {
	logProb float64
	last    *link // nil before the first word
	parent  int   // the live hypothesis of the step before that it extends
}

// link is a word and those before it, which several hypotheses share.
type link struct {
	word   int32
	before *link
}

// newSearch returns the search for the translation of a sentence of that many words.
func newSearch(words int, o Options) *search {
	s := &search{beam: o.Beam, alpha: o.Alpha, maxRows: o.MaxLen, live: []hypothesis{{}}}
	if s.maxRows == 0 {
		s.maxRows = 2*words + 10
	}
	return s
}

// extend makes a step: scores(i) are the log-probabilities of the words after hypothesis i. Of
// equal sums the lower word ID comes first, then the earlier hypothesis.
func (s *search) extend(scores func(i int) []float32) error {
	s.rows++
	var top []hypothesis // the likeliest so far, in their order
	for i, h := range s.live {
		for w, p := range scores(i) {
			w := int32(w)
			if w == ragged.BeginID || s.rows == s.maxRows && w != ragged.EndID { // no translation contains it; the last row must end
				continue
			}
			sum, at := h.logProb+float64(p), len(top)
			for at > 0 && (sum > top[at-1].logProb || sum == top[at-1].logProb && w < top[at-1].last.word) {
				at--
			}
			if at < s.beam && !math.IsNaN(sum) {
				top = slices.Insert(top, at, hypothesis{sum, &link{w, h.last}, i})[:min(len(top)+1, s.beam)]
			}
		}
	}
	if len(top) == 0 {
		return errors.New("the model's scores are not numbers: its weights have diverged")
	}
	s.live = s.live[:0]
	for _, h := range top {
		if h.last.word == ragged.EndID {
			s.finish(h)
		} else {
			s.live = append(s.live, h)
		}
	}
	s.prune()
	return nil
}

// finish takes h out of the beam.
func (s *search) finish(h hypothesis) {
	s.beam--
	score := h.logProb / power(s.rows, s.alpha)
	if s.best != nil && s.best.Score >= score {
		return
	}
	s.best = &Translation{LogProb: h.logProb, Score: score, Words: make([]int32, s.rows-1)}
	for i, l := s.rows-2, h.last.before; i >= 0; i, l = i-1, l.before {
		s.best.Words[i] = l.word
	}
}

// prune ends the search when no live hypothesis can still be better: log p only falls, and at best
// it is divided by the largest length.
func (s *search) prune() {
	if s.best != nil && len(s.live) > 0 && s.best.Score >= s.live[0].logProb/power(s.maxRows, s.alpha) {
		s.live = s.live[:0]
	}
}

// power returns n^alpha, with the same bits on every CPU.
func power(n int, alpha float64) float64 {
	switch alpha {
	case 0:
		return 1
	case 1:
		return float64(n)
	}
	return simd.Exp64(float64(alpha * simd.Log64(float64(n))))
}
