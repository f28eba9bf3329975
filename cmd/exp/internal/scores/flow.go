package scores

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/infer"
)

// flowWords bounds the texts that flow takes: the work grows with the third power of
// their length.
const flowWords = 200

var flow = Score{
	Name: "flow", Title: "attention flow", Source: "Abnar and Zuidema 2020, section 3; Dinitz 1970",
	Says:    "The largest flow from the review's vector down to a word, with the weights of all layers, residual included, as capacities. It has no sign.",
	Repeats: perWord,
	Slow:    fmt.Sprintf("it takes a flow for each word through all pairs of words, and texts of %d words at most", flowWords),
	lacks:   noLayers,
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		err := a.eachText(ctx, texts, func(i int, b *infer.Batch, k int) error {
			n, seen := len(texts[i].Rows), b.Seen(k)
			if n > flowWords {
				return fmt.Errorf("attention flow: a text of %d words; it takes %d at most", n, flowWords)
			}
			r, err := pooled(a.model, b, k, n)
			if err != nil {
				return err
			}
			layers := len(b.Layers())
			net := network{first: make([][]edge, (layers+1)*seen+1)} // the words of each layer, then the source
			source := (layers + 1) * seen
			for q, share := range r {
				net.add(source, layers*seen+q, share)
			}
			for l := range layers {
				for q := range seen {
					row, err := mixed(a.model, b, l, k, q)
					if err != nil {
						return err
					}
					for j, w := range row {
						net.add((l+1)*seen+q, l*seen+j, w)
					}
				}
			}
			out[i] = make([]float32, n)
			return a.model.Pool().For(n, func(j int) {
				out[i][j] = float32(net.copy().flow(source, b.Front()+j))
			})
		})
		return out, err
	},
}

// network is one of pipes with capacities.
type network struct{ first [][]edge }

type edge struct {
	to, back int     // where to, and which edge there leads back
	room     float64 // of its capacity that is left
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

// least is the flow that is not worth a way any more.
const least = 1e-12

// flow returns the largest flow between two nodes, by the method of Dinitz: as long as
// there is a way with room, it fills the shortest ones.
func (n *network) flow(from, to int) float64 {
	total := 0.0
	level, next := make([]int, len(n.first)), make([]int, len(n.first))
	for n.levels(level, from, to) {
		clear(next)
		for {
			pushed := n.push(level, next, from, to, math.Inf(1))
			if pushed <= least {
				break
			}
			total += pushed
		}
	}
	return total
}

// levels numbers the nodes by their distance and reports whether to can be reached.
func (n *network) levels(level []int, from, to int) bool {
	for i := range level {
		level[i] = -1
	}
	level[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range n.first[queue[0]] {
			if e.room > least && level[e.to] < 0 {
				level[e.to] = level[queue[0]] + 1
				queue = append(queue, e.to)
			}
		}
	}
	return level[to] >= 0
}

// push sends up to most along one shortest way.
func (n *network) push(level, next []int, at, to int, most float64) float64 {
	if at == to {
		return most
	}
	for ; next[at] < len(n.first[at]); next[at]++ {
		e := &n.first[at][next[at]]
		if e.room <= least || level[e.to] != level[at]+1 {
			continue
		}
		if sent := n.push(level, next, e.to, to, min(most, e.room)); sent > least {
			e.room -= sent
			n.first[e.to][e.back].room += sent
			return sent
		}
	}
	return 0
}
