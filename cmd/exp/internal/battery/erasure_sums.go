package battery

import (
	"math"

	"imdbexp/cmd/exp/internal/scores"
)

// eraseSums adds up answers, in the order of the reviews.
type eraseSums struct {
	reviews  int
	right    int
	p        float64
	rankings []*scores.Score
	cells    [][]eraseCell // [ranking][share]
	areas    []eraseArea   // [ranking]
}

type eraseCell struct {
	right, keptRight, flipped int
	p                         float64
	drop, keptDrop            moments
}

// eraseArea adds up what is of all shares; of the review at hand what is so far.
type eraseArea struct {
	without, alone, first     moments
	now, nowAlone, nowFlipped float64
}

// moments are sums for a mean and its standard error.
type moments struct {
	n            int
	sum, squares float64
}

func (m *moments) add(x float64) {
	m.n++
	m.sum += x
	m.squares += float64(x * x)
}

func (m *moments) mean() Mean {
	n := float64(m.n)
	mean := m.sum / n
	out := Mean{Mean: mean, Half: math.NaN()}
	if m.n > 1 {
		out.Half = 1.959963984540054 * math.Sqrt(max(0, m.squares-float64(m.sum*mean))/(n-1)/n)
	}
	return out
}

func newEraseSums(rankings []*scores.Score) *eraseSums {
	s := &eraseSums{rankings: rankings, cells: make([][]eraseCell, len(rankings)), areas: make([]eraseArea, len(rankings))}
	for i := range s.cells {
		s.cells[i] = make([]eraseCell, len(EraseShares))
		s.areas[i].nowFlipped = 1
	}
	return s
}

// review adds the answer on a whole review: whether it is right, and its probability.
func (s *eraseSums) review(right bool, p float64) {
	s.reviews++
	s.p += p
	if right {
		s.right++
	}
}

// add adds the answers on a review without some of its words, and on them alone: the
// classes then predicted and the probabilities of the one that was predicted from the
// whole review, where it was whole. The shares of a review come one after another.
func (s *eraseSums) add(ranking, share, label, class int, whole float64, without, alone int, p, pAlone float64) {
	c, a := &s.cells[ranking][share], &s.areas[ranking]
	if without == label {
		c.right++
	}
	if alone == label {
		c.keptRight++
	}
	if without != class {
		a.nowFlipped = min(a.nowFlipped, EraseShares[share])
	}
	if a.nowFlipped < 1 {
		c.flipped++
	}
	c.p += p
	c.drop.add(whole - p)
	c.keptDrop.add(whole - pAlone)
	a.now += whole - p
	a.nowAlone += whole - pAlone
}

// end says that all shares of a review have been added.
func (s *eraseSums) end(ranking int) {
	a, n := &s.areas[ranking], float64(len(EraseShares))
	a.without.add(a.now / n)
	a.alone.add(a.nowAlone / n)
	a.first.add(a.nowFlipped)
	a.now, a.nowAlone, a.nowFlipped = 0, 0, 1
}

func (s *eraseSums) erasure() *Erasure {
	n := float64(s.reviews)
	e := &Erasure{Reviews: s.reviews, Accuracy: float64(s.right) / n, P: s.p / n}
	for i, r := range s.rankings {
		a := s.areas[i]
		c := ErasureCurve{Ranking: r.Title, AreaWithout: a.without.mean(), AreaAlone: a.alone.mean(), First: a.first.mean()}
		for _, cell := range s.cells[i] {
			c.Accuracy = append(c.Accuracy, float64(cell.right)/n)
			c.KeptAccuracy = append(c.KeptAccuracy, float64(cell.keptRight)/n)
			c.Flipped = append(c.Flipped, float64(cell.flipped)/n)
			c.P = append(c.P, cell.p/n)
			c.Comprehensiveness = append(c.Comprehensiveness, cell.drop.mean())
			c.Sufficiency = append(c.Sufficiency, cell.keptDrop.mean())
		}
		e.Curves = append(e.Curves, c)
	}
	return e
}
