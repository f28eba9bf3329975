package ops

import (
	"errors"

	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// BahdanauGRU runs a GRU over the target rows of each pair. Before each step, its state
// attends to the pair's source words (Bahdanau et al. 2015, A.2.2;
// the gates in the form and order of GRU):
//
//	eₜⱼ = v·tanh(sₜ₋₁·W2 + kⱼ)    αₜ = softmaxⱼ(eₜⱼ)    cₜ = Σⱼ αₜⱼ hⱼ
//	r, z = σ (yₜ + cₜ·Wc + sₜ₋₁·Wh + bh)
//	n = tanh (yₜ + cₜ·Wc + r⊙(sₜ₋₁·Wh + bh))
//	sₜ = (1−z)⊙n + z⊙sₜ₋₁
//
// Each gate has its own columns of yₜ, Wc, Wh and bh, in the order r, z, n.
// yx [M, 3s] holds y, a linear map of the embedded words; h [N, d] the source's states;
// k [N, a] a linear map of h, the keys; s0 [B, s] the first states;
// W2 is [s, a], v [1, a], Wc [d, 3s], Wh [s, 3s], bh [1, 3s]. Results: the states [M, s],
// the contexts c [M, d], the last states [B, s], and the entropies of αₜ [B, 1] in
// nats, the mean over the pair's target rows, from 0 to log n.
//
// The weights of the last run are kept; the backward pass recomputes tanh, as in
// AdditiveAttention.
func BahdanauGRU(yx, h, k, s0, w2, v, wc, wh, bh *Node) (states, context, last, entropy *Node) {
	g := k.g
	fail := func(format string, args ...any) (_, _, _, _ *Node) {
		n := g.fail("Bahdanau's GRU: "+format, args...)
		return n, n, n, n
	}
	al, err := align(yx.axis, k.axis)
	s, a := s0.cols, k.cols
	switch {
	case g.err != nil:
		return fail("")
	case err != nil:
		return fail("%v", err)
	case h.axis != k.axis:
		return fail("h and k lie on different axes")
	case yx.cols != 3*s || w2.axis.Len() != s || w2.cols != a || !rowVector(v, a) ||
		wc.axis.Len() != h.cols || wc.cols != 3*s || wh.axis.Len() != s || wh.cols != 3*s || !rowVector(bh, 3*s):
		return fail("yx [·, %d], h [·, %d], k [·, %d], s0 [·, %d], W2 [%d, %d], v [%d, %d], Wc [%d, %d], Wh [%d, %d], bh [%d, %d] do not fit together",
			yx.cols, h.cols, a, s, w2.axis.Len(), w2.cols, v.axis.Len(), v.cols, wc.axis.Len(), wc.cols, wh.axis.Len(), wh.cols, bh.axis.Len(), bh.cols)
	}
	if n := al.queries.startsFrom("Bahdanau's GRU", s, []*Node{s0}); n != nil {
		return n, n, n, n
	}
	op := &bahdanau{recurrence: recurrence{onWords: onWords{g, al.queries}}, alignment: al, s: s, a: a, d: h.cols}
	r := g.apply("Bahdanau's GRU", op, []*Node{yx, h, k, s0, w2, v, wc, wh, bh},
		result{al.queries, s}, result{al.queries, h.cols}, result{al.queries.Reviews(), s}, result{al.queries.Reviews(), 1})
	return r[0], r[1], r[2], r[3]
}

// picture draws a box for the weights, one for the context and one for the step,
// because the context is an input of the step.
func (k *bahdanau) picture(s *Sketch, n *Node) drawn {
	in := n.src.inputs
	step, ok := s.layers[n.src]
	if !ok {
		h := s.node(in[1])
		y := s.node(projected(in[0]))
		e := &equation{s: s}
		start := e.whole(in[3])
		before := s.box(diagram.Weight("sₜ₋₁, s₀ =", start))
		if s.listing {
			s.box(diagram.Op("s₀ = " + start))
		}
		weights := s.box(diagram.Op("eₜⱼ = "+s.additive(in[5], in[2], "sₜ₋₁", in[4]), "αₜ = softmaxⱼ(eₜⱼ)"),
			diagram.Edge{From: before}, diagram.Edge{From: h.vertex, Label: s.role("keys", h)})
		c := s.context(n.src.nodes[1], weights, h, h.symbol+"ⱼ")
		step = s.box(diagram.Op("sₜ = GRU(["+y.symbol+"; "+c.symbol+"], sₜ₋₁)"),
			diagram.Edge{From: c.vertex}, diagram.Edge{From: y.vertex})
		s.layers[n.src] = step
	}
	if n.out == 1 { // the context
		return drawn{step, "cₜ"}
	}
	return drawn{step, "s"}
}

// bahdanau has rows of gates [n, r, z, a] with a = sₜ₋₁·Wh_n + bh_n, as in gru.
type bahdanau struct {
	recurrence // over the target rows
	alignment
	s, a, d       int // widths of states, keys and values
	shards        []bahdanauShard
	wc            []float32 // its columns in the order n, r, z
	wcT, whT, w2T []float32
	dc            []float32 // [M, d] gradient of the contexts
	dk            []float32 // [N, a] gradient of the keys
	dwc, dwh      partials
	dbh, dw2, dv  partials
	dwcTurned     []float32
}

// bahdanauShard keeps rows in time order: in training of all steps, otherwise of one step.
type bahdanauShard struct {
	timeline
	scores additiveScores
	old    []float32 // [rows, s] the state before each step
	q      []float32 // [rows, a] the queries, then their gradients
	c      []float32 // [rows, d] the contexts
	z      []float32 // [rows, 4s] n, r, z and a, then their gradients
	now    []float32 // [alive, s] the state now, or its gradient
	dc     []float32 // [alive, d] the part of the contexts' gradient from the gates
	dalpha []float32 // [n]
	dyx    []float32 // [3s]
}

func (k *bahdanau) forward(in, out []Mat) error {
	wc := in[6]
	k.lay()
	k.shards = resized(k.shards, k.seq.shards())
	k.wc = grown(k.wc, len(wc.Data))
	turn(k.wc, wc.Data, k.s)
	return k.g.pool.For(k.seq.shards(), func(shard int) {
		sh := &k.shards[shard]
		sh.plan(k.seq, shard, shard+1)
		k.place(&sh.timeline)
		sh.room(k)
		k.collect(&sh.timeline, in[3], sh.now)
		for t := range sh.steps() {
			k.forwardStep(sh, t, in, out)
		}
		for _, b := range sh.order {
			out[3].Data[b] = k.meanEntropy(b)
		}
	})
}

// weighing returns the weights of all rows; each row's query is the state before it.
func (k *bahdanau) weighing(in []Mat64, review, _ int) Weighing {
	return k.reviewExact(in, review, nil)
}

func (k *bahdanau) exact(in, out []Mat64) error {
	for b := range k.queries.reviews.Len() {
		w := k.reviewExact(in, b, out)
		out[3].Data[b] = w.entropy()
	}
	return nil
}

func (k *bahdanau) onnx(*Export, []*Node) ([]string, error) {
	return nil, errors.New("attends to the source within each step of its recurrence; ONNX has no operator for that")
}

// reviewExact steps through a pair's rows. It writes states, contexts and the last state
// to out, unless out is nil.
func (k *bahdanau) reviewExact(in []Mat64, b int, out []Mat64) Weighing {
	yx, h, keys, w2, v := k.queries.of(in[0], b), k.keys.of(in[1], b), k.keys.of(in[2], b), in[4], in[5].Data
	state := in[3].Row(b)
	all := Weighing{Queries: newWide(yx.Rows, k.a), Keys: keys, Scale: 1, Additive: true, Read: yx.Rows, Scores: newWide(yx.Rows, h.Rows), Weights: newWide(yx.Rows, h.Rows), Values: h}
	for t := range yx.Rows {
		query, context, gates := all.Queries.Range(t, t+1), newWide(1, k.d), newWide(1, 3*k.s)
		exactLinear(query, Mat64{1, k.s, state}, w2, nil)
		w := exactAdditive(query, keys, v).filled()
		copy(all.Scores.Row(t), w.Scores.Data)
		copy(all.Weights.Row(t), w.Weights.Data)
		exactSum(context.Data, w.Weights.Data, h)
		exactLinear(gates, context, in[6], yx.Row(t))
		state = exactGRU(gates.Data, state, in[7], in[8].Data)
		if out != nil {
			copy(k.queries.of(out[0], b).Row(t), state)
			copy(k.queries.of(out[1], b).Row(t), context.Data)
			copy(out[2].Row(b), state)
		}
	}
	return all
}

// room makes the buffers.
func (sh *bahdanauShard) room(k *bahdanau) {
	alive := len(sh.order)
	rows := alive
	if k.g.training {
		rows = sh.rows()
	}
	sh.old, sh.z = grown(sh.old, rows*k.s), grown(sh.z, rows*4*k.s)
	sh.q, sh.c = grown(sh.q, rows*k.a), grown(sh.c, rows*k.d)
	sh.now = grown(sh.now, alive*k.s)
}

// at returns where the rows of step t begin in the buffers.
func (sh *bahdanauShard) at(t int, training bool) int {
	if training {
		return sh.base[t]
	}
	return 0
}

func (k *bahdanau) forwardStep(sh *bahdanauShard, t int, in, out []Mat) {
	yx, h, keys, w2, v, wh, bh := in[0], in[1], in[2], in[4], in[5].Data, in[7], in[8].Data
	s, a, d := k.s, k.a, k.d
	alive, row := sh.alive(t), sh.at(t, k.g.training)
	old, q, c, z := sh.old[row*s:][:alive*s], sh.q[row*a:][:alive*a], sh.c[row*d:][:alive*d], sh.z[row*4*s:][:alive*4*s]
	copy(old, sh.now)
	simd.NN(alive, a, s, old, s, w2.Data, a, q, a, false)
	for r, b := range sh.order[:alive] {
		first, last := k.words(b)
		from, to := k.span(b, t)
		i, cr, zr := k.row(b, t), c[r*d:][:d], z[r*4*s:][:4*s]
		k.entropy[i] = sh.scores.attend(k.alpha[from:to], k.logs[from:to], q[r*a:][:a], keys.Range(first, last), v)
		simd.NN(1, d, to-from, k.alpha[from:to], to-from, h.Range(first, last), d, cr, d, false)
		copy(out[1].Row(i), cr)
		turn(zr[:3*s], yx.Row(i), s)
		clear(zr[3*s:])
	}
	simd.AddBias(z[s:], alive, 4*s, 3*s, bh)
	simd.NN(alive, 3*s, s, old, s, wh.Data, 3*s, z[s:], 4*s, true)
	simd.NN(alive, 3*s, d, c, d, k.wc, 3*s, z, 4*s, true)
	now := sh.now[:alive*s]
	simd.GRUForward(z, alive, s, old, now)
	k.store(&sh.timeline, t, now, out[0], out[2])
}

func (k *bahdanau) backward(in, _, dout []Mat, din []Grad) error {
	keys, w2, wc, wh := in[2], in[4], in[6], in[7]
	shards, s := k.seq.shards(), k.s
	k.wcT = transpose(k.wcT, Mat{Rows: wc.Rows, Cols: wc.Cols, Data: k.wc})
	k.whT, k.w2T = transpose(k.whT, wh), transpose(k.w2T, w2)
	k.dc, k.dk = grown(k.dc, k.seq.Len()*k.d), grown(k.dk, len(keys.Data))
	k.dwc.prepare(shards, len(wc.Data))
	k.dwh.prepare(shards, len(wh.Data))
	k.dbh.prepare(shards, 3*s)
	k.dw2.prepare(shards, len(w2.Data))
	k.dv.prepare(shards, k.a)
	err := k.g.pool.For(shards, func(shard int) { k.backwardShard(shard, in, dout, din) })
	k.dwcTurned = grown(k.dwcTurned, len(wc.Data))
	turnBack(k.dwcTurned, k.dwc.total(), s)
	din[4].putAll(k.dw2.total())
	din[5].putAll(k.dv.total())
	din[6].putAll(k.dwcTurned)
	din[7].putAll(k.dwh.total())
	din[8].putAll(k.dbh.total())
	return err
}

func (k *bahdanau) backwardShard(shard int, in, dout []Mat, din []Grad) {
	sh, dv := &k.shards[shard], k.dv.bufs[shard]
	s, a, d := k.s, k.a, k.d
	alive, rows := len(sh.order), sh.rows()
	sh.dc, sh.dyx = grown(sh.dc, alive*d), grown(sh.dyx, 3*s)
	clear(sh.now)
	clear(dv)
	for _, b := range sh.order {
		first, last := k.words(b)
		clear(k.dk[first*a : last*a])
	}
	for t := sh.steps() - 1; t >= 0; t-- {
		k.backwardStep(sh, t, in, dout, din, dv)
	}
	// The rest does not depend on the order of time: one product over all rows each.
	simd.TN(d, 3*s, rows, sh.c, d, sh.z, 4*s, k.dwc.bufs[shard], 3*s, false)
	simd.TN(s, 3*s, rows, sh.old, s, sh.z[s:], 4*s, k.dwh.bufs[shard], 3*s, false)
	simd.TN(s, a, rows, sh.old, s, sh.q, a, k.dw2.bufs[shard], a, false)
	simd.ColumnSums(k.dbh.bufs[shard], sh.z[s:], rows, 4*s, 3*s, false)
	for _, b := range sh.order {
		first, last := k.words(b)
		din[2].putRange(first, last, k.dk[first*a:last*a])
		k.gradOfValues(b, Mat{Rows: k.seq.Len(), Cols: d, Data: k.dc}, din[1])
	}
	k.distribute(&sh.timeline, sh.now, din[3])
}

// backwardStep computes the gradients of step t. sh.now holds the gradient of the state
// after it and gets the gradient of the state before it.
func (k *bahdanau) backwardStep(sh *bahdanauShard, t int, in, dout []Mat, din []Grad, dv []float32) {
	h, keys, v := in[1], in[2], in[5].Data
	s, a, d := k.s, k.a, k.d
	alive, row := sh.alive(t), sh.base[t]
	old, q, z := sh.old[row*s:][:alive*s], sh.q[row*a:][:alive*a], sh.z[row*4*s:][:alive*4*s]
	k.loadGrad(&sh.timeline, t, sh.now, []Mat{dout[0], dout[2]}, true)
	now := sh.now[:alive*s]
	simd.GRUBackward(z, alive, s, old, now, z)
	simd.NN(alive, d, 3*s, z, 4*s, k.wcT, d, sh.dc, d, false)
	for r, b := range sh.order[:alive] {
		first, last := k.words(b)
		from, to := k.span(b, t)
		i, n := k.row(b, t), to-from
		dc := k.dc[i*d:][:d]
		copy(dc, sh.dc[r*d:])
		if dout[1].Data != nil {
			simd.Add(dc, dout[1].Row(i))
		}
		var dh float32
		if dout[3].Data != nil {
			dh = dout[3].Data[b] / float32(k.seq.length(b))
		}
		sh.dalpha = grown(sh.dalpha, n)
		simd.DotRows(sh.dalpha, h.Range(first, last), d, d, dc)
		ds := softmaxGradOf(sh.dalpha, k.alpha[from:to], k.logs[from:to], k.entropy[i], dh)
		qr := q[r*a:][:a]
		sh.scores.backward(ds, qr, keys.Range(first, last), v, qr, k.dk[first*a:last*a], dv)
		if din[0].Wanted() {
			turnBack(sh.dyx, z[r*4*s:][:3*s], s)
			din[0].put(i, sh.dyx)
		}
	}
	simd.NN(alive, s, 3*s, z[s:], 4*s, k.whT, s, now, s, true)
	simd.NN(alive, s, a, q, a, k.w2T, s, now, s, true)
}
