package ops

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/diagram"
)

// The pictures of translators: target words, and their attention to the
// source words.

// onTarget reports whether a node has a row for each target word of a
// translation.
func onTarget(n *Node) bool { return n.axis == Axis(n.g.pairs.targets) }

// writer draws the decoder layer with the states n, which starts from the last state of the
// encoder.
func (s *Sketch) writer(n *Node) *diagram.Vertex {
	var in []diagram.Edge
	for _, start := range n.src.inputs[1:] {
		if start = start.shown(); !start.IsWeight() {
			if d := s.start(start); !slices.Contains(in, d) {
				in = append(in, d)
			}
		}
	}
	lines := []string{strings.ToUpper(n.src.name) + "'", "sₜ from sₜ₋₁, yₜ₋₁"}
	if s.listing {
		y := (&equation{s: s}).of(n.src.inputs[0])
		lines = []string{fmt.Sprintf("sₜ = %s'(%s, sₜ₋₁)", strings.ToUpper(n.src.name), y)}
	}
	v := s.box(diagram.Op(lines...), append(in, diagram.Edge{From: s.node(n.src.inputs[0]).vertex})...)
	v.Name = "sₜ"
	s.layers[n.src], s.count[v] = v, 1
	return v
}

// start returns the edge from a state that another layer starts from. Several layers share one
// box, and so do the state and the cell of an LSTM.
func (s *Sketch) start(n *Node) diagram.Edge {
	if !recurrent(n) {
		return diagram.Edge{From: s.node(n).vertex}
	}
	layer := s.layer(n)
	if v, ok := s.ends[layer]; ok {
		return diagram.Edge{From: v}
	}
	var top *Node
	read := map[*op]bool{} // layers with another layer above
	for m := range s.walked {
		if recurrent(m) && !onTarget(m.src.nodes[0]) && s.layer(m) == layer {
			if below := s.below(m.src); below != nil {
				read[below.src] = true
			}
		}
	}
	for m := range s.walked {
		if recurrent(m) && m.out == 0 && s.layers[m.src] == layer && !read[m.src] {
			top = m
		}
	}
	lines, from := []string{"last h"}, layer
	if len(n.src.nodes) > 2 {
		lines[0] = "last h, c"
	}
	if top != nil {
		from = s.node(top).vertex
	} else {
		lines = []string{lines[0] + ":", "all that is kept"}
	}
	if s.listing {
		s.box(diagram.Op("s₀ = the " + strings.TrimSuffix(lines[0], ":")))
	}
	s.ends[layer] = s.box(diagram.Val(lines...), diagram.Edge{From: from})
	return diagram.Edge{From: s.ends[layer]}
}

// alignment draws the attention of the target words: several heads in one box.
func (k *attention) alignment(s *Sketch, n *Node) drawn {
	in := n.src.inputs
	q, x := projected(in[0]), projected(in[1])
	if q == in[0].shown() {
		e := &equation{s: s}
		score := e.refer(q) + "·" + s.key(in[1])
		if k.Scale != 1 {
			score += " / " + root(k.Scale)
		}
		return s.align(n, score, q, in[1], in[2])
	}
	row, of, within := s.node(q), s.node(x), ""
	edges := []diagram.Edge{{From: row.vertex}}
	heads := fmt.Sprintf("%d heads", k.Heads)
	if k.Heads == 1 {
		heads = "1 head"
	}
	if k.Causal {
		within = ", j ≤ t"
	} else {
		edges = append(edges, diagram.Edge{From: of.vertex, Label: s.role("keys, values", of)})
	}
	sum := s.box(diagram.Op(
		fmt.Sprintf("%s: qₜ = Q·%sₜ,", heads, row.symbol),
		fmt.Sprintf("kⱼ = K·%sⱼ, vⱼ = V·%[1]sⱼ%s", of.symbol, within),
		"αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)",
		"Σⱼ αₜⱼ vⱼ"), edges...)
	s.heads[n] = k.together()
	return drawn{sum, "f(" + row.symbol + ")"}
}

// key formats a row of the source in the equation of a score, times its matrix,
// if any.
func (s *Sketch) key(n *Node) string {
	of, n := projected(n), n.shown()
	text := s.node(of).symbol + "ⱼ"
	if of != n {
		text = s.symbol(n.src.inputs[1], "W") + "·" + text
	}
	return text
}

// align draws the attention of a target word to the source: a score, a softmax, a sum.
func (s *Sketch) align(n *Node, score string, query, keys, values *Node) drawn {
	k, v := s.node(projected(keys)), s.node(projected(values))
	weights := s.box(diagram.Op("eₜⱼ = "+score, "αₜ = softmaxⱼ(eₜⱼ)"),
		diagram.Edge{From: s.node(query).vertex}, diagram.Edge{From: k.vertex, Label: s.role("keys", k)})
	return s.context(n, weights, v, s.key(values))
}

// role returns the label of an edge from the source.
func (s *Sketch) role(as string, of drawn) string {
	if s.narrow {
		return as
	}
	return as + " " + of.symbol + "ⱼ"
}

// context draws the sum of values.
func (s *Sketch) context(n *Node, weights *diagram.Vertex, v drawn, value string) drawn {
	return s.named(n, "cₜ", []string{"cₜ = Σⱼ αₜⱼ " + value}, diagram.Edge{From: weights}, diagram.Edge{From: v.vertex, Label: s.role("values", v)})
}

// additive formats the score of a network with one layer for keys and a query, which have
// separate matrices or a common one.
func (s *Sketch) additive(v, keys *Node, query string, w2 *Node) string {
	w1 := keys.shown().src.inputs[1].shown()
	w2 = w2.shown()
	key := s.node(projected(keys)).symbol + "ⱼ"
	network := ""
	if w1.Op() == "slice of rows" && w2.Op() == "slice of rows" {
		network = s.symbol(w1.src.inputs[0], "W") + "·[" + key + "; " + query + "]"
	} else {
		network = s.symbol(w1, "W") + "·" + key + " + " + s.symbol(w2, "W") + "·" + query
	}
	return s.symbol(v, "v") + "·tanh(" + network + ")"
}
