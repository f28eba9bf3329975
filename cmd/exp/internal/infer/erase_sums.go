package infer

import "math"

// eraseSums adds up answers, in the order of the reviews.
type eraseSums struct {
	reviews  int
	right    int
	p        float64
	rankings []string
	cells    [][]eraseCell // [ranking][share]
}

type eraseCell struct {
	right, keptRight int
	p                float64
	drop, keptDrop   moments
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

func (s *eraseSums) begin(rankings []string) {
	if s.rankings == nil {
		s.rankings = rankings
		s.cells = make([][]eraseCell, len(rankings))
		for i := range s.cells {
			s.cells[i] = make([]eraseCell, len(EraseShares))
		}
	}
}

// review adds the answer on a whole review: whether it is right, and its probability.
func (s *eraseSums) review(right bool, p float64) {
	s.reviews++
	s.p += p
	if right {
		s.right++
	}
}

// add adds the answer on a review without some of its words (kept: on them alone).
// p is the probability of the class predicted from the whole review, where it was
// whole.
func (s *eraseSums) add(ranking, share int, kept, right bool, p, whole float64) {
	c := &s.cells[ranking][share]
	count, drop := &c.right, &c.drop
	if kept {
		count, drop = &c.keptRight, &c.keptDrop
	} else {
		c.p += p
	}
	if right {
		*count++
	}
	drop.add(whole - p)
}

func (s *eraseSums) erasure() *Erasure {
	n := float64(s.reviews)
	e := &Erasure{Reviews: s.reviews, Accuracy: float64(s.right) / n, P: s.p / n}
	for i, name := range s.rankings {
		c := ErasureCurve{Ranking: name}
		for _, cell := range s.cells[i] {
			c.Accuracy = append(c.Accuracy, float64(cell.right)/n)
			c.KeptAccuracy = append(c.KeptAccuracy, float64(cell.keptRight)/n)
			c.P = append(c.P, cell.p/n)
			c.Comprehensiveness = append(c.Comprehensiveness, cell.drop.mean())
			c.Sufficiency = append(c.Sufficiency, cell.keptDrop.mean())
		}
		e.Curves = append(e.Curves, c)
	}
	return e
}
