package runs

import "math"

// Metrics are the results of one epoch. Losses are means over reviews in nats,
// accuracies in percent, entropies means over reviews in nats; nil where there
// is none (no validation split, no attention). Of translations losses are means
// over target words (the end of the sentence is one), accuracies the share of these
// that are the likeliest after the right words before them, entropies means over
// pairs. Times are in Timing, so that metrics can be compared byte for byte.
type Metrics struct {
	Epoch     int      `json:"epoch"` // from 1
	TrainLoss *float64 `json:"train_loss"`
	TrainAcc  *float64 `json:"train_acc"`
	ValidLoss *float64 `json:"valid_loss"`
	ValidAcc  *float64 `json:"valid_acc"`
	TestLoss  *float64 `json:"test_loss"`
	TestAcc   *float64 `json:"test_acc"`

	// Of translations, greedily decoded: how many are word for word the reference, in
	// percent, and sacreBLEU's BLEU of their words, from 0 to 100.
	TestExact *float64 `json:"test_exact,omitempty"`
	TestBLEU  *float64 `json:"test_bleu,omitempty"`

	TrainEntropy *float64 `json:"train_entropy"`
	TestEntropy  *float64 `json:"test_entropy"`

	// The quantiles of the entropies: least, 25 %, median, 75 %, largest.
	TrainQuantiles *[5]float64 `json:"train_entropy_quantiles"`
	TestQuantiles  *[5]float64 `json:"test_entropy_quantiles"`

	// Of self-attention, each head's mean entropy by layer and head [L][H].
	TrainHeads [][]HeadEntropy `json:"train_heads,omitempty"`
	TestHeads  [][]HeadEntropy `json:"test_heads,omitempty"`

	// HeadSimilarity is Σ cos² between the weights of each two heads, over all
	// layers, after the epoch; nil where heads are not compared.
	HeadSimilarity *float64 `json:"head_similarity,omitempty"`

	GradNorm *float64 `json:"grad_norm"` // mean over steps of the gradient's global norm, before clipping
}

// Line returns the metrics as a line of metrics.jsonl.
func (m Metrics) Line() ([]byte, error) { return appendLines(nil, m) }

// HeadEntropy is the entropy of one head, a mean over reviews and their queries.
type HeadEntropy struct {
	Nats  float64 `json:"nats"`
	Share float64 `json:"of_log_n"` // mean of entropy / log n over reviews of two words and more, so that short and long ones compare
}

// Timing is how long one epoch took. Its checkpoint is still to be written when its line is:
// the time for that stands in the line of the next one.
type Timing struct {
	Epoch      int     `json:"epoch"`
	Seconds    float64 `json:"seconds"` // of the training pass, without evaluation
	Words      float64 `json:"words_per_s"`
	Evaluation float64 `json:"evaluation_s,omitempty"` // of all that is evaluated
	Checkpoint float64 `json:"checkpoint_s,omitempty"` // for writing down the epoch before
}

// Number returns a pointer to v, for Metrics.
func Number(v float64) *float64 { return &v }

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
