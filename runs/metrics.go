package runs

// Metrics are the results of one epoch. Losses are means over reviews in nats,
// accuracies in percent, entropies means over reviews in nats; nil where there
// is none (no validation split, no attention). Times are in Timing, so that
// metrics can be compared byte for byte.
type Metrics struct {
	Epoch        int      `json:"epoch"` // from 1
	TrainLoss    *float64 `json:"train_loss"`
	TrainAcc     *float64 `json:"train_acc"`
	ValidLoss    *float64 `json:"valid_loss"`
	ValidAcc     *float64 `json:"valid_acc"`
	TestLoss     *float64 `json:"test_loss"`
	TestAcc      *float64 `json:"test_acc"`
	TrainEntropy *float64 `json:"train_entropy"`
	TestEntropy  *float64 `json:"test_entropy"`

	// The quantiles of the entropies: least, 25 %, median, 75 %, largest.
	TrainQuantiles *[5]float64 `json:"train_entropy_quantiles"`
	TestQuantiles  *[5]float64 `json:"test_entropy_quantiles"`

	GradNorm *float64 `json:"grad_norm"` // mean over steps of the gradient's global norm, before clipping
}

// Timing is how long the training pass of one epoch took, without evaluation.
type Timing struct {
	Epoch   int     `json:"epoch"`
	Seconds float64 `json:"seconds"`
	Words   float64 `json:"words_per_s"`
}

// Number returns a pointer to v, for Metrics.
func Number(v float64) *float64 { return &v }
