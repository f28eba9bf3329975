package scores

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/infer"
)

// flowWords is the length of the longest text for flow: the work grows with its third power.
const flowWords = 200

var flow = Score{
	Name: "flow", Title: "attention flow", Source: "Abnar and Zuidema 2020, section 3; Dinitz 1970",
	Says:    "The maximum flow from the review's vector down to a word, with the weights of all layers, including the residual connections, as capacities. It has no sign.",
	Repeats: perWord,
	Slow:    fmt.Sprintf("it computes a flow for each word through all pairs of words, for texts of at most %d words", flowWords),
	lacks:   noLayers,
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
