package ops

import "imdbexp/internal/simd"

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
	k.arriving(&sh.timeline, t, sh.now, []Mat{dout[0], dout[2]}, true)
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
