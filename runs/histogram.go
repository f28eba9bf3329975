package runs

import "math"

// Histogram counts the attention entropies of one split after one epoch. Bin i
// holds the reviews with Lo + i·Step ≤ entropy < Lo + (i+1)·Step, in nats; the
// first and last bin also take what lies outside.
type Histogram struct {
	Epoch  int     `json:"epoch"`
	Split  string  `json:"split"`           // train or test
	Where  string  `json:"where,omitempty"` // layer and head, where there are several
	Lo     float64 `json:"lo"`
	Step   float64 `json:"step"`
	Counts []int   `json:"counts"`
}

// NewHistogram counts entropies in bins of 0.1 nats from 0 to 10, the entropy of
// uniform attention over 22 000 words.
func NewHistogram(epoch int, split string, entropies []float32) Histogram {
	h := Histogram{Epoch: epoch, Split: split, Step: 0.1, Counts: make([]int, 100)}
	for _, e := range entropies {
		h.Add(float64(e))
	}
	return h
}

// NewShareHistogram is an empty histogram of entropies as a fraction of log n,
// in hundredths from 0 (one word) to 1 (uniform).
func NewShareHistogram(epoch int, split string) Histogram {
	return Histogram{Epoch: epoch, Split: split, Step: 0.01, Counts: make([]int, 101)}
}

// Add counts one value; NaN is not counted.
func (h *Histogram) Add(v float64) {
	if math.IsNaN(v) || len(h.Counts) == 0 {
		return
	}
	i := math.Floor((v - h.Lo) / h.Step)
	h.Counts[int(max(0, min(i, float64(len(h.Counts)-1))))]++
}
