package models

import (
	"errors"
	"math"
	"slices"

	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// search is the beam search for the translation of one sentence, in the form of
// Sutskever et al. 2014, section 3.2, and Bahdanau et al. 2015: of all words behind
// all hypotheses the likeliest few are gone on with, and one that ends with
// end-of-sentence leaves the beam, which is narrower by one from then on. A beam of
// one is greedy search.
//
// Finished translations of different lengths compare by log p / rows^alpha (Wu et
// al. 2016, section 7, with rows^alpha for their length penalty).
type search struct {
	beam  int // hypotheses still to be found
	top   int // finished translations that are wanted
	alpha float64
	rows  int // of each live hypothesis
	most  int // rows at most
	live  []hypothesis
	found []finished // the best so far, by falling score; of equals the first to end stands first
}

// hypothesis is the beginning of a translation. The live ones stand by falling
// logProb.
type hypothesis struct {
	logProb float64
	last    *link // nil before the first word
	parent  int   // the live hypothesis of the step before that it goes on from
}

// link is a word and those before it, which several hypotheses share.
type link struct {
	word   int32
	before *link
}

// finished is a translation with its end.
type finished struct {
	hypothesis
	rows  int
	score float64
}

// newSearch begins the search for the translation of a sentence of that many words.
func newSearch(words int, o DecodeOptions) *search {
	s := &search{beam: o.Beam, top: max(o.Top, 1), alpha: o.Alpha, most: o.MaxLen, live: []hypothesis{{}}}
	if s.most == 0 {
		s.most = 2*words + 10
	}
	return s
}

// extend goes a step on: scores(i) are the log-probabilities of the words behind
// hypothesis i. Of equal sums the lower word comes first, then the earlier
// hypothesis.
func (s *search) extend(scores func(i int) []float32) error {
	s.rows++
	var top []hypothesis // the likeliest so far
	for i, h := range s.live {
		for w, p := range scores(i) {
			w := int32(w)
			if w == ragged.BeginID || s.rows == s.most && w != ragged.EndID { // no translation has the one; the last row has to end
				continue
			}
			if sum := h.logProb + float64(p); s.enters(top, sum, w) {
				top = s.insert(top, hypothesis{sum, &link{w, h.last}, i})
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

// enters reports whether a candidate of that sum, unless it is no number, is among
// the likeliest so far.
func (s *search) enters(top []hypothesis, sum float64, word int32) bool {
	return !math.IsNaN(sum) && (len(top) < s.beam || before(sum, word, top[len(top)-1]))
}

// before reports whether a candidate stands before h, which is of an earlier
// hypothesis or an earlier word.
func before(sum float64, word int32, h hypothesis) bool {
	return sum > h.logProb || sum == h.logProb && word < h.last.word
}

// insert puts h to its place in top, and what is too much out of it.
func (s *search) insert(top []hypothesis, h hypothesis) []hypothesis {
	at := len(top)
	for at > 0 && before(h.logProb, h.last.word, top[at-1]) {
		at--
	}
	top = slices.Insert(top, at, h)
	return top[:min(len(top), s.beam)]
}

// finish takes h out of the beam.
func (s *search) finish(h hypothesis) {
	s.beam--
	score := h.logProb / power(s.rows, s.alpha)
	at := len(s.found)
	for at > 0 && score > s.found[at-1].score {
		at--
	}
	s.found = slices.Insert(s.found, at, finished{h, s.rows, score})
	s.found = s.found[:min(len(s.found), s.top)]
}

// prune ends the search when nothing live can still be among those wanted: log p only
// falls, and at best it is divided by the largest length.
func (s *search) prune() {
	if len(s.found) == s.top && len(s.live) > 0 && s.found[s.top-1].score >= s.live[0].logProb/power(s.most, s.alpha) {
		s.live = s.live[:0]
	}
}

// translation returns the best of what was found, which there is once the search has
// ended, with the others that are wanted.
func (s *search) translation() Translation {
	best := s.found[0].translation()
	for _, f := range s.found[1:] {
		best.Others = append(best.Others, f.translation())
	}
	return best
}

func (f *finished) translation() Translation {
	t := Translation{LogProb: f.logProb, Score: f.score, Words: make([]int32, f.rows-1)}
	for i, l := f.rows-2, f.last.before; i >= 0; i, l = i-1, l.before {
		t.Words[i] = l.word
	}
	return t
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
