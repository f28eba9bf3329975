package stats

import "math"

// ECEBins is the number of equal bins of [0, 1] that ECE sorts confidences into.
const ECEBins = 15

// Scores adds up how well predictions fit known labels, one review at a time, in
// constant memory.
type Scores struct {
	n, right  int
	Confusion Confusion
	brier     float64
	bins      [ECEBins]struct {
		n, right   int
		confidence float64
	}
}

// NewScores starts with no reviews and the given number of classes.
func NewScores(classes int) *Scores {
	return &Scores{Confusion: NewConfusion(classes)}
}

// Add counts a review with its label, the class predicted and the probability of each class.
func (s *Scores) Add(label, predicted int, p []float32) {
	s.n++
	s.Confusion[label][predicted]++
	if label == predicted {
		s.right++
	}
	for c, v := range p {
		d := float64(v)
		if c == label {
			d--
		}
		s.brier += float64(d * d)
	}
	confidence := float64(p[predicted])
	b := &s.bins[min(max(int(math.Ceil(confidence*ECEBins))-1, 0), ECEBins-1)]
	b.n++
	b.confidence += confidence
	if label == predicted {
		b.right++
	}
}

// N returns the number of reviews.
func (s *Scores) N() int { return s.n }

// Right returns the number of reviews whose label was predicted.
func (s *Scores) Right() int { return s.right }

// Accuracy returns the share of reviews whose label was predicted. Like the scores below,
// it is NaN without reviews.
func (s *Scores) Accuracy() float64 { return float64(s.right) / float64(s.n) }

// ECE returns the expected calibration error: reviews are sorted by the probability
// of their predicted class into 15 bins of equal width, (b/15, (b+1)/15], and
//
//	ECE = Σ_b n_b/n · |accuracy_b − mean confidence_b|
//
// (Naeini et al. 2015; Guo et al. 2017, eq. 3). 0 is perfect.
func (s *Scores) ECE() float64 {
	sum := 0.0
	for _, b := range s.bins {
		sum += math.Abs(float64(b.right) - b.confidence)
	}
	return sum / float64(s.n)
}

// Brier returns the mean over the reviews of Σ_c (p_c − y_c)², with y_c = 1 for the
// label and 0 for other classes (Brier 1950): from 0, sure and right, to 2.
func (s *Scores) Brier() float64 { return s.brier / float64(s.n) }
