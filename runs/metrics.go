package runs

import "math"

// Metrics are the results of one epoch. Losses and entropies are means over reviews in nats,
// accuracies are in percent. A field is nil if it does not apply (no validation split, no
// attention). For translations, losses are means over target words including the end of the
// sentence, accuracies are those of the next word with teacher forcing, and entropies are
// means over pairs. Times are in Timing, so that metrics can be compared byte for byte.
type Metrics struct {
	Epoch     int      `json:"epoch"` // from 1
	TrainLoss *float64 `json:"train_loss"`
	TrainAcc  *float64 `json:"train_acc"`
	ValidLoss *float64 `json:"valid_loss"`
	ValidAcc  *float64 `json:"valid_acc"`
	TestLoss  *float64 `json:"test_loss"`
	TestAcc   *float64 `json:"test_acc"`

	// For translations by greedy decoding: exact matches in percent, and sacreBLEU's BLEU
	// from 0 to 100.
	TestExact *float64 `json:"test_exact,omitempty"`
	TestBLEU  *float64 `json:"test_bleu,omitempty"`

	TrainEntropy *float64 `json:"train_entropy"`
	TestEntropy  *float64 `json:"test_entropy"`

	// Minimum, quartiles and maximum of the entropies.
	TrainQuantiles *[5]float64 `json:"train_entropy_quantiles"`
	TestQuantiles  *[5]float64 `json:"test_entropy_quantiles"`

	// Mean entropy of each head of self-attention [L][H].
	TrainHeads [][]HeadEntropy `json:"train_heads,omitempty"`
	TestHeads  [][]HeadEntropy `json:"test_heads,omitempty"`

	// HeadSimilarity is Σ cos² between the weights of each pair of heads, over all layers.
	HeadSimilarity *float64 `json:"head_similarity,omitempty"`

	GradNorm *float64 `json:"grad_norm"` // mean over steps of the gradient's global norm, before clipping
}

// Line returns the metrics as a line of metrics.jsonl.
func (m Metrics) Line() ([]byte, error) { return appendLines(nil, m) }

// HeadEntropy is the entropy of one head, averaged over reviews and queries.
type HeadEntropy struct {
	Nats  float64 `json:"nats"`
	Share float64 `json:"of_log_n"` // mean of entropy / log n over reviews of at least two words
}

// Timing is the time of one epoch. Its line is written before its checkpoint, whose time is
// in the line of the next epoch.
type Timing struct {
	Epoch      int     `json:"epoch"`
	Seconds    float64 `json:"seconds"` // of the training pass, without evaluation
	Words      float64 `json:"words_per_s"`
	Evaluation float64 `json:"evaluation_s,omitempty"` // of all evaluations
	Checkpoint float64 `json:"checkpoint_s,omitempty"` // of the epoch before
}

// Number returns a pointer to v, for Metrics.
func Number(v float64) *float64 { return &v }

// Histogram counts the attention entropies of one split after one epoch. Bin i counts the
// reviews with Lo + i·Step ≤ entropy < Lo + (i+1)·Step, in nats. The first and last bin also
// count values outside of the range.
type Histogram struct {
	Epoch  int     `json:"epoch"`
	Split  string  `json:"split"`           // train or test
	Where  string  `json:"where,omitempty"` // layer and head, if there are several
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
