package scores

import (
	"context"
	"fmt"
	"math"

	"imdbexp/internal/infer"
)

var rollout = Score{
	Name: Rollout, Title: "attention rollout", Source: "Abnar and Zuidema 2020, section 3",
	Definition: "The product of the weights of all layers, each averaged with the residual connection: how much of a word reaches the review's vector if the layers did nothing else. It has no sign.",
	lacks:      noLayers,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) {
			r, err := readers(a.model, b, k, n)
			for l := len(b.Layers()) - 1; l >= 0 && err == nil; l-- {
				next := make([]float64, len(r))
				for q, share := range r {
					if share == 0 {
						continue
					}
					row, err := mixed(a.model, b, l, k, q)
					if err != nil {
						return nil, err
					}
					for j, w := range row {
						next[j] += float64(share * w)
					}
				}
				r = next
			}
			if err != nil {
				return nil, err
			}
			return infer.Float32s(r[b.Front():][:n]), nil
		})
	},
}

// readers returns the share with which each word that the last layer outputs enters the
// review's vector, including [CLS] and padding. If there is [CLS], it alone has all; else
// the attention that pools the words decides, and without one all words count alike.
func readers(m *infer.Model, b *infer.Batch, text, n int) ([]float64, error) {
	out := make([]float64, b.Seen(text))
	switch {
	case m.Pools():
		w, err := b.Attention(text)
		for i, v := range w {
			out[i] = float64(v)
		}
		return out, err
	case b.Front() > 0:
		out[0] = 1
	default:
		for i := range n {
			out[i] = 1 / float64(n)
		}
	}
	return out, nil
}

// mixed returns how much a word of a layer takes from each word below: the mean of the
// weights over the heads, averaged with the word itself if the layer has a residual
// connection. The shares add up to one.
func mixed(m *infer.Model, b *infer.Batch, layer, text, query int) ([]float64, error) {
	out, total := make([]float64, b.Seen(text)), 0.0
	for h := range b.Layers()[layer] {
		row, err := b.AttentionRow(layer, h, text, query)
		if err != nil {
			return nil, err
		}
		for j, w := range row {
			out[j] += float64(w)
			total += float64(w)
		}
	}
	for j := range out {
		out[j] /= total
	}
	if m.Residual() {
		for j := range out {
			out[j] /= 2
		}
		out[query] += 0.5
	}
	return out, nil
}

var weighted = Score{
	Name: "norms", Title: "value-weighted norm", Source: "Kobayashi et al. 2020",
	Definition: "‖αᵢ·v(xᵢ)‖: the weight times the length of the vector it multiplies. A word with a large weight and a value near zero counts little. With layers of self-attention it is computed in the last one, before its heads are joined. It has no sign.",
	lacks:      noNorms,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		if !a.model.Pools() {
			return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) { return layerNorms(a.model, b, k, n) })
		}
		var last *infer.Batch // whose norms are known, for all its texts
		var norms [][]float32
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) (out []float32, err error) {
			if b != last {
				if norms, err = b.ValueNorms(); err != nil {
					return nil, err
				}
				last = b
			}
			if out, err = b.Attention(k); err != nil {
				return nil, err
			}
			for j, n := range norms[k] {
				out[j] *= n
			}
			return out, nil
		})
	},
}

// layerNorms returns Σᵢ rᵢ √(Σₕ (αʰᵢⱼ ‖vʰⱼ‖)²) of each word j in the last layer, where rᵢ is
// the share with which word i enters the review's vector (readers).
func layerNorms(m *infer.Model, b *infer.Batch, text, n int) ([]float32, error) {
	layer := len(b.Layers()) - 1
	shares, err := readers(m, b, text, n)
	if err != nil {
		return nil, err
	}
	norms, sum := b.HeadNorms(layer, text), make([]float64, b.Seen(text))
	for i, share := range shares {
		if share == 0 {
			continue
		}
		squares := make([]float64, len(sum))
		for h, length := range norms {
			row, err := b.AttentionRow(layer, h, text, i)
			if err != nil {
				return nil, err
			}
			for j, w := range row {
				part := float64(w) * length[j]
				squares[j] += float64(part * part)
			}
		}
		for j, s := range squares {
			sum[j] += float64(share * math.Sqrt(s))
		}
	}
	return infer.Float32s(sum[b.Front():][:n]), nil
}

// flowWords is the length of the longest text for flow: the work grows with its third power.
const flowWords = 200

var flow = Score{
	Name: "flow", Title: "attention flow", Source: "Abnar and Zuidema 2020, section 3; Dinitz 1970",
	Definition: "The maximum flow from the review's vector down to a word, with the weights of all layers, including the residual connections, as capacities. It has no sign.",
	Repeats:    perWord,
	Slow:       fmt.Sprintf("it computes a flow for each word through all pairs of words, for texts of at most %d words", flowWords),
	lacks:      noLayers,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) {
			seen := b.Seen(k)
			if n > flowWords {
				return nil, fmt.Errorf("attention flow: the text has %d words; at most %d are possible", n, flowWords)
			}
			shares, err := readers(a.model, b, k, n)
			if err != nil {
				return nil, err
			}
			layers := len(b.Layers())
			net := network{first: make([][]edge, (layers+1)*seen+1)} // the words of each layer, then the source
			source := (layers + 1) * seen
			for q, share := range shares {
				net.add(source, layers*seen+q, share)
			}
			for l := range layers {
				for q := range seen {
					row, err := mixed(a.model, b, l, k, q)
					if err != nil {
						return nil, err
					}
					for j, w := range row {
						net.add((l+1)*seen+q, l*seen+j, w)
					}
				}
			}
			out := make([]float32, n)
			err = a.model.Pool().For(n, func(j int) {
				out[j] = float32(net.copy().flow(source, b.Front()+j))
			})
			return out, err
		})
	},
}

// network is a flow network: the edges of each node.
type network struct{ first [][]edge }

type edge struct {
	to, back int     // target node, and index of the reverse edge there
	room     float64 // residual capacity
}

func (n *network) add(from, to int, capacity float64) {
	if capacity <= 0 {
		return
	}
	n.first[from] = append(n.first[from], edge{to, len(n.first[to]), capacity})
	n.first[to] = append(n.first[to], edge{from, len(n.first[from]) - 1, 0})
}

func (n *network) copy() *network {
	out := &network{first: make([][]edge, len(n.first))}
	for i, list := range n.first {
		out.first[i] = append([]edge(nil), list...)
	}
	return out
}

// minFlow is the smallest flow that is still pushed.
const minFlow = 1e-12

// flow returns the maximum flow between two nodes, by Dinitz's algorithm: it fills the
// shortest paths as long as there is a path with room.
func (n *network) flow(from, to int) float64 {
	total := 0.0
	level, next := make([]int, len(n.first)), make([]int, len(n.first))
	for n.levels(level, from, to) {
		clear(next)
		for {
			pushed := n.push(level, next, from, to, math.Inf(1))
			if pushed <= minFlow {
				break
			}
			total += pushed
		}
	}
	return total
}

// levels numbers the nodes by their distance and reports whether the target is reachable.
func (n *network) levels(level []int, from, to int) bool {
	for i := range level {
		level[i] = -1
	}
	level[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range n.first[queue[0]] {
			if e.room > minFlow && level[e.to] < 0 {
				level[e.to] = level[queue[0]] + 1
				queue = append(queue, e.to)
			}
		}
	}
	return level[to] >= 0
}

// push sends up to limit along one shortest path.
func (n *network) push(level, next []int, at, to int, limit float64) float64 {
	if at == to {
		return limit
	}
	for ; next[at] < len(n.first[at]); next[at]++ {
		e := &n.first[at][next[at]]
		if e.room <= minFlow || level[e.to] != level[at]+1 {
			continue
		}
		if sent := n.push(level, next, e.to, to, min(limit, e.room)); sent > minFlow {
			e.room -= sent
			n.first[e.to][e.back].room += sent
			return sent
		}
	}
	return 0
}
