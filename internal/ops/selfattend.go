package ops

import (
	"fmt"
	"math"
	"strings"

	"imdbexp/internal/diagram"
	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// SelfAttention are the options of SelfAttend and Attention. The zero Scale is not
// allowed: use 1/√k of Vaswani et al. 2017, eq. 1, or 1 for no scaling.
type SelfAttention struct {
	Heads int     // H; queries, keys and values are cut into as many parts of equal width
	Scale float32 // of the scores, above 0
	// OverQueries takes the softmax over the queries for each key: the
	// columns of P sum to one instead of its rows. This is a slip of the published code.
	OverQueries bool
	Causal      bool    // query i attends only to the keys up to i
	Dropout     float32 // probability that an element of P is dropped in training
	Name        string  // of its stream of random numbers
	// FirstOnly computes only the first value of each review and sets the others to zero,
	// for models that only read [CLS]. The entropies are over all queries.
	FirstOnly bool
}

// SelfAttend lets the words of each review attend to each other, in each head:
//
//	S = scale · Q Kᵀ    P = softmax over the keys (S)    O = P V    hᵢ = −Σⱼ pᵢⱼ log pᵢⱼ
//
// (Vaswani et al. 2017, eq. 1). q and k are [N, H·dk], v is [N, H·dv], all on one
// axis of words; head h has the columns h·dk … (h+1)·dk. Results: the values
// [N, H·dv] and the entropies [B, H] in nats, the mean of hᵢ over the review's
// words (with OverQueries, of the entropies of the columns), from 0 to log n.
//
// No n×n matrix is kept: memory grows linearly in n. AttentionRow recomputes one
// row of P. Dropout does not change the entropies.
func SelfAttend(q, k, v *Node, o SelfAttention) (out, entropy *Node) {
	if q.axis != k.axis {
		n := q.g.fail("self-attention: queries and keys lie on different axes")
		return n, n
	}
	return Attention(q, k, v, o)
}

// Attention is SelfAttend with queries from one axis of words [Nq, H·dk], and keys
// and values from another one of the same reviews [Nk, H·dk], [Nk, H·dv]. The
// result is [Nq, H·dv].
func Attention(q, k, v *Node, o SelfAttention) (out, entropy *Node) {
	g := q.g
	fail := func(format string, args ...any) (_, _ *Node) {
		n := g.fail("attention: "+format, args...)
		return n, n
	}
	queries, ok1 := q.axis.(*Seq)
	keys, ok2 := k.axis.(*Seq)
	switch {
	case g.err != nil:
		return fail("")
	case !ok1 || !ok2 || v.axis != k.axis || queries.reviews != keys.reviews:
		return fail("queries, keys and values need one row a word of the same reviews, keys and values the same axis")
	case o.Heads < 1 || q.cols != k.cols || q.cols%o.Heads != 0 || v.cols%o.Heads != 0:
		return fail("%d heads do not share queries [·, %d], keys [·, %d] and values [·, %d] evenly", o.Heads, q.cols, k.cols, v.cols)
	case !(o.Scale > 0):
		return fail("the scale is %g: use 1 for none", o.Scale)
	case !(o.Dropout >= 0 && o.Dropout < 1):
		return fail("the probability of dropout %g is outside [0, 1)", o.Dropout)
	case o.Causal && (o.OverQueries || queries != keys):
		return fail("a causal mask needs queries and keys on one axis and a softmax over the keys")
	}
	a := &attention{SelfAttention: o, g: g, queries: queries, keys: keys, soft: queries, dk: k.cols / o.Heads, dv: v.cols / o.Heads}
	a.Name = g.part + o.Name
	if o.OverQueries {
		a.soft = keys
	}
	r := g.apply("attention", a, []*Node{q, k, v}, result{queries, v.cols}, result{queries.reviews, o.Heads})
	return r[0], r[1]
}

// attention processes S in tiles that fit the second-level cache (Rabe and Staats 2021;
// Dao et al. 2022). Forwards a task is a block of queries, which keeps the maximum
// of each row so far and the sums relative to it. Backwards a task is a slice of
// keys: it computes all of the gradients of its keys and values, and a part of the gradients of
// the queries; the parts are added up in the order of the slices. The tasks
// depend only on the length of a review.
type attention struct {
	SelfAttention
	g             *Graph
	queries, keys *Seq
	soft          *Seq // the axis with one softmax for each row: the queries, or the keys
	dk, dv        int  // width of a head

	lse, entropy     []float32 // [H, N] log Σ exp s of each distribution, and its entropy
	queryKey, keyKey []uint32  // [H, N] for the random numbers

	ownQueries, ownKeys []int // [B] see compare

	tasks   []attentionTask
	parts   []float32 // gradients of queries from all slices except the first
	partsOf []int     // [B+1] first row of each review in parts
	free    workList
}

// At these sizes the products run at full speed, the two tiles of a backward pass
// take 150 kB, and a review of a few hundred words is work for several cores.
// Anything from 64 to 256 is as fast, within 3 %.
const (
	tileRows = 128
	tileCols = 128
)

// dropsOut reports whether P has dropout in this graph.
func (k *attention) dropsOut() bool { return k.Dropout > 0 && k.g.learning() }

// seed prepares the keys of the random numbers: pᵢⱼ is kept or dropped by the sum
// of a key of i and a key of j.
func (k *attention) seed() error {
	stream := simd.Key(k.g.seed, "attention/"+k.Name)
	k.queryKey = grown(k.queryKey, k.Heads*k.queries.Len())
	k.keyKey = grown(k.keyKey, k.Heads*k.keys.Len())
	return k.g.pool.For(k.queries.reviews.Len(), func(b int) {
		for h := range k.Heads {
			key := simd.Hash3(stream, k.g.step, uint64(k.g.reviews[b]), uint64(h))
			for side, s := range []*Seq{k.queries, k.keys} {
				to := k.queryKey
				if side == 1 {
					to = k.keyKey
				}
				for i := range s.length(b) {
					to[h*s.Len()+s.Offsets[b]+i] = uint32(simd.Hash2(key, uint64(side), uint64(i)) >> 32)
				}
			}
		}
	})
}

// drop applies dropout to a tile of P, or of its gradient: rows are queries from i on,
// columns keys from j on, or the other way round. Both count in the batch.
func (k *attention) drop(x []float32, rows, ld, cols, head, i, j int, keysFirst bool) {
	q := k.queryKey[head*k.queries.Len()+i:]
	y := k.keyKey[head*k.keys.Len()+j:]
	if keysFirst {
		q, y = y, q
	}
	simd.DropoutGrid(x, rows, ld, cols, q[:rows], y[:cols], k.Dropout)
}

func (k *attention) onnx(x *Export, in []*Node) ([]string, error) {
	split := func(n *Node, width int) string { // [B, H, n, width]
		return x.transpose(x.reshape(x.Name(n), 0, 0, k.Heads, width), 0, 2, 1, 3)
	}
	q, keys, v := split(in[0], k.dk), split(in[1], k.dk), split(in[2], k.dv)
	scores := x.Op("MatMul", q, x.transpose(keys, 0, 1, 3, 2)) // [B, H, n, n]
	scores = x.Op("Mul", scores, x.number(fmt.Sprintf("scale.%g", k.Scale), float64(k.Scale)))

	from, to := x.places(k.queries), x.places(k.keys)
	rows, columns := x.expand(from.mask, 1, 3), x.expand(to.mask, 1, 2) // [B, 1, n, 1], [B, 1, 1, n]
	across, over := int64(3), columns
	if k.OverQueries {
		across, over = 2, rows
	}
	if k.Causal {
		over = x.Op("And", over, x.Op("GreaterOrEqual", x.expand(from.at, 1), to.at))
	}
	p, plogp := x.attend(x.onlyIn(over, scores), across)
	// Padding as a query, or with OverQueries as a key, must have no weight.
	inside := x.Op("Mul", x.cast(rows, onnx.Float), x.cast(columns, onnx.Float))
	p, plogp = x.Op("Mul", p, inside), x.Op("Mul", plogp, inside)
	entropy := x.sum(x.sum(plogp, 3, false), 2, false) // [B, H]
	soft := x.places(k.soft)
	x.weights[k] = p
	out := x.reshape(x.transpose(x.Op("MatMul", p, v), 0, 2, 1, 3), 0, 0, k.Heads*k.dv)
	return []string{out, x.Op("Div", entropy, x.cast(soft.lengths, onnx.Float))}, nil
}

// picture draws one head in a frame: scores, a softmax, a sum of values.
func (k *attention) picture(s *Sketch, n *Node) drawn {
	in, was, inside := n.src.inputs, s.group, s.inside
	if s.listing && projected(in[0]) != in[0].shown() {
		return k.listAttention(s, n)
	}
	if onTarget(in[0]) {
		return k.alignment(s, n)
	}
	x := s.node(projected(in[0]))
	defer func() { s.group, s.inside = was, inside }()
	if k.Heads > 1 {
		s.group = &diagram.Group{Title: fmt.Sprintf("%d heads", k.Heads), In: was}
	}
	role := func(n *Node, name, index string) *diagram.Vertex {
		of := s.node(projected(n))
		text := name + index + " = " + of.symbol + index
		if projected(n) != n.shown() {
			text = name + index + " = " + s.symbol(n.shown().src.inputs[1], "W") + "·" + of.symbol + index
		}
		return s.box(diagram.Op(text), diagram.Edge{From: of.vertex})
	}
	over := "ⱼ"
	if k.OverQueries {
		over = "ᵢ"
	}
	by, notes := k.divisor(projected(in[0]).cols)
	lines := append([]string{"αᵢⱼ = softmax" + over + "(qᵢ·kⱼ" + by + ")"}, notes...)
	weights := s.box(diagram.Op(lines...), diagram.Edge{From: role(in[0], "q", "ᵢ")}, diagram.Edge{From: role(in[1], "k", "ⱼ")})
	sum := s.box(diagram.Op("Σⱼ αᵢⱼ vⱼ"), diagram.Edge{From: weights}, diagram.Edge{From: role(in[2], "v", "ⱼ")})
	for _, x := range in { // notes of the inputs
		if x = x.shown(); x.src != nil {
			s.note(k, s.notes[x.src.k]...)
		}
	}
	s.heads[n] = k.together()
	return drawn{sum, "f(" + x.symbol + ")"}
}

// divisor returns the divisor of the scores in pictures for words of the given width, and notes on
// the weights.
func (k *attention) divisor(width int) (by string, notes []string) {
	if k.OverQueries {
		notes = append(notes, "over the queries, a slip")
	}
	switch {
	case k.Scale == 1:
	case k.dk*k.Heads == width: // the width is divided among the heads
		by = "/√k"
	case k.Scale == rootOf(width):
		by, notes = "/√d", append(notes, "√d, not √k, a slip")
	default:
		by = "/" + root(k.Scale)
	}
	if k.Dropout > 0 {
		notes = append(notes, fmt.Sprintf("dropout %g", k.Dropout))
	}
	return by, notes
}

// together formats the concatenated results of the heads.
func (k *attention) together() string {
	if k.Heads == 1 {
		return "head₁"
	}
	return "[head₁; …; head" + subscript(k.Heads) + "]"
}

// projected returns the input of the linear map that gives queries, keys or values, or n.
func projected(n *Node) *Node {
	n = n.shown()
	if n.src != nil && n.src.name == "linear" && n.symbol == "" {
		return n.src.inputs[0].shown()
	}
	return n
}

func rootOf(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

func subscript(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n))
}
