package training

import (
	"fmt"

	"imdbexp/internal/simd"
	"imdbexp/models"
	"imdbexp/runs"
)

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
