package training

import (
	"errors"
	"fmt"
	"slices"

	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/models"
	"imdbexp/runs"
)

// sums adds up the steps of an epoch, or the batches of an evaluation.
type sums struct {
	loss      float64
	reviews   int
	positions int // predictions: one a review, or one a target word of a translation
	right     int // of these
	words     int
	entropies []float32
	heads     [][]headSums // [L][H] of self-attention
	norm      float64
	steps     int
	seconds   float64 // of the training pass
	hit       []int   // by class: right predictions, only of an evaluation
	named     []int   // by class: labels plus predictions, see runs.MacroF1
}

// add adds the batch on which the network has run; loss is its mean loss.
func (t *sums) add(b *ragged.Batch, n *models.Network, loss float64) {
	t.loss += float64(loss * float64(n.Predictions())) // rounded before it is added, on every CPU
	t.reviews += b.Len()
	t.positions += n.Predictions()
	t.right += n.Right()
	t.words += b.Words()
	t.steps++
	t.entropies = append(t.entropies, n.Entropies()...)
	t.addHeads(n)
}

// addClasses counts the classes of the batch on which the network has run.
func (t *sums) addClasses(b *ragged.Batch, n *models.Network) {
	c, is := n.Output().Objective.(*models.Classes)
	if !is {
		return
	}
	if t.hit == nil {
		t.hit, t.named = make([]int, c.Logits.Cols()), make([]int, c.Logits.Cols())
	}
	for i, y := range b.Labels {
		if y < 0 {
			continue
		}
		t.named[y]++
		p := c.Predicted(i)
		t.named[p]++
		if p == int(y) {
			t.hit[y]++
		}
	}
}

// macroF1 is in percent.
func (t *sums) macroF1() float64 { return runs.MacroF1(t.hit, t.named) }

func (t *sums) meanLoss() float64 { return t.loss / float64(t.positions) }

// accuracy is in percent.
func (t *sums) accuracy() float64 { return 100 * float64(t.right) / float64(t.positions) }

// entropy returns the mean and the quantiles (0, 25, 50, 75, 100 %), or nil for
// a model without attention.
func (t *sums) entropy() (mean *float64, quantiles *[5]float64) {
	n := len(t.entropies)
	if n == 0 {
		return nil, nil
	}
	sorted := slices.Clone(t.entropies)
	slices.Sort(sorted)
	var sum float64
	for _, h := range sorted {
		sum += float64(h)
	}
	m, q := sum/float64(n), [5]float64{}
	for i := range q {
		q[i] = float64(sorted[i*(n-1)/4])
	}
	return &m, &q
}

// timing returns the time of the pass. The speed is 0 if the clock was set back or is too coarse.
func (t *sums) timing(epoch int) runs.Timing {
	out := runs.Timing{Epoch: epoch, Seconds: max(0, t.seconds)}
	if t.seconds > 0 {
		out.Words = float64(t.words) / t.seconds
	}
	return out
}

// save puts the sums so far into a checkpoint, so that the epoch can be resumed: as float64, the type
// of the sums, and not as means.
func (t *sums) save(c *runs.Checkpoint) {
	c.Step = t.steps
	c.Sums = append(c.Sums,
		runs.Tensor{Name: "sums", Shape: []int{3}, Data: []float64{t.loss, t.norm, t.seconds}},
		runs.Tensor{Name: "counts", Shape: []int{3}, Data: []int64{int64(t.reviews), int64(t.right), int64(t.words)}},
		runs.Tensor{Name: "entropies", Shape: []int{len(t.entropies)}, Data: t.entropies})
	if t.positions != t.reviews {
		c.Sums = append(c.Sums, runs.Tensor{Name: "positions", Shape: []int{1}, Data: []int64{int64(t.positions)}})
	}
	if len(t.heads) == 0 {
		return
	}
	var sums []float64 // of the heads [L][H] as L·H rows
	var counts, nats, shares []int64
	for _, layer := range t.heads {
		for _, h := range layer {
			sums = append(sums, h.sum, h.share)
			counts = append(counts, int64(h.reviews), int64(h.shared))
			nats, shares = appendCounts(nats, h.nats.Counts), appendCounts(shares, h.shares.Counts)
		}
	}
	rows := len(t.heads) * len(t.heads[0])
	c.Sums = append(c.Sums,
		runs.Tensor{Name: "heads", Shape: []int{2}, Data: []int64{int64(len(t.heads)), int64(len(t.heads[0]))}},
		runs.Tensor{Name: "head_sums", Shape: []int{rows, 2}, Data: sums},
		runs.Tensor{Name: "head_counts", Shape: []int{rows, 2}, Data: counts},
		runs.Tensor{Name: "head_nats", Shape: []int{rows, len(nats) / rows}, Data: nats},
		runs.Tensor{Name: "head_shares", Shape: []int{rows, len(shares) / rows}, Data: shares})
}

func appendCounts(to []int64, counts []int) []int64 {
	for _, n := range counts {
		to = append(to, int64(n))
	}
	return to
}

// keptSums restores the sums; reviews is the number of reviews in the steps of c.
func keptSums(c *runs.Checkpoint, reviews int) (*sums, error) {
	added, err1 := runs.TensorValues[float64](c.Sums, "sums", 3)
	counts, err2 := runs.TensorValues[int64](c.Sums, "counts", 3)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if counts[0] != int64(reviews) {
		return nil, fmt.Errorf("checkpoint: %d reviews seen in %d steps, the run wants %d", counts[0], c.Step, reviews)
	}
	t := &sums{
		loss: added[0], norm: added[1], seconds: added[2], steps: c.Step,
		reviews: reviews, positions: reviews, right: int(counts[1]), words: int(counts[2]),
	}
	for _, x := range c.Sums {
		switch x.Name {
		case "entropies":
			t.entropies, _ = x.Data.([]float32)
		case "positions":
			positions, err := runs.TensorValues[int64](c.Sums, x.Name, 1)
			if err != nil {
				return nil, err
			}
			t.positions = int(positions[0])
		case "heads":
			if err := t.loadHeads(c.Sums); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func (t *sums) loadHeads(kept []runs.Tensor) error {
	size, err := runs.TensorValues[int64](kept, "heads", 2)
	if err != nil {
		return err
	}
	if min(size[0], size[1]) < 1 || max(size[0], size[1]) > 1<<16 { // no model has so many
		return fmt.Errorf("checkpoint: %d layers of %d heads", size[0], size[1])
	}
	layers, heads := int(size[0]), int(size[1])
	rows, empty := layers*heads, newHeadSums()
	sums, err1 := runs.TensorValues[float64](kept, "head_sums", 2*rows)
	counts, err2 := runs.TensorValues[int64](kept, "head_counts", 2*rows)
	nats, err3 := runs.TensorValues[int64](kept, "head_nats", rows*len(empty.nats.Counts))
	shares, err4 := runs.TensorValues[int64](kept, "head_shares", rows*len(empty.shares.Counts))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	t.heads = make([][]headSums, layers)
	for i := range rows {
		h := newHeadSums()
		h.sum, h.share = sums[2*i], sums[2*i+1]
		h.reviews, h.shared = int(counts[2*i]), int(counts[2*i+1])
		fillCounts(h.nats.Counts, nats, i)
		fillCounts(h.shares.Counts, shares, i)
		t.heads[i/heads] = append(t.heads[i/heads], h)
	}
	return nil
}

// fillCounts sets counts from the given row of kept.
func fillCounts(counts []int, kept []int64, row int) {
	for i := range counts {
		counts[i] = int(kept[row*len(counts)+i])
	}
}

// headSums adds up the entropies of one head over a split.
type headSums struct {
	sum, share      float64
	reviews, shared int
	nats, shares    runs.Histogram
}

func newHeadSums() headSums {
	return headSums{nats: runs.NewHistogram(0, "", nil), shares: runs.NewShareHistogram(0, "")}
}

// addHeads adds the entropies of the network's heads on a batch.
func (t *sums) addHeads(n *models.Network) {
	layers := n.Heads()
	if layers == nil {
		return
	}
	offsets := n.HeadWords()
	for l, m := range layers {
		if l == len(t.heads) {
			t.heads = append(t.heads, make([]headSums, m.Cols))
			for h := range t.heads[l] {
				t.heads[l][h] = newHeadSums()
			}
		}
		for r := range m.Rows {
			uniform := simd.Log64(float64(offsets[r+1] - offsets[r]))
			for h, e := range m.Row(r) {
				t.heads[l][h].add(float64(e), uniform)
			}
		}
	}
}

func (h *headSums) add(entropy, uniform float64) {
	h.sum += entropy
	h.reviews++
	h.nats.Add(entropy)
	if uniform > 0 {
		share := entropy / uniform
		h.share += share
		h.shared++
		h.shares.Add(share)
	}
}

// headEntropies returns the means by layer and head, or nil.
func (t *sums) headEntropies() [][]runs.HeadEntropy {
	var out [][]runs.HeadEntropy
	for _, layer := range t.heads {
		var row []runs.HeadEntropy
		for _, h := range layer {
			row = append(row, runs.HeadEntropy{Nats: h.sum / float64(h.reviews), Share: h.share / float64(max(h.shared, 1))})
		}
		out = append(out, row)
	}
	return out
}

// headHistograms returns two histograms for each head: of nats, and of the share of log n.
func (t *sums) headHistograms(epoch int, split string) []runs.Histogram {
	var out []runs.Histogram
	for l, layer := range t.heads {
		for i, h := range layer {
			h.nats.Where = fmt.Sprintf("layer %d head %d", l+1, i+1)
			h.shares.Where = h.nats.Where + " of log n"
			for _, x := range []runs.Histogram{h.nats, h.shares} {
				x.Epoch, x.Split = epoch, split
				out = append(out, x)
			}
		}
	}
	return out
}
