package simd

// GRUForward computes one step of a GRU cell for each of rows sequences of hidden
// width h (Cho et al. 2014, in PyTorch's form, where the reset gate r acts on the
// product with the state):
//
//	r, u = σ(z_r), σ(z_u);  n = tanh(z_n + r·a)
//	hOut = n + u·(hPrev − n)
//
// z [rows, 4h] holds z_n, z_r, z_u and a, the part of the new state that comes from
// the old one with its bias. The first three are overwritten by n, r and u, which
// GRUBackward needs. hPrev and hOut are [rows, h]; hPrev may be nil (zeros) or
// hOut itself.
//
// It is made of the vector kernels: their overhead is small beside σ and tanh.
func GRUForward(z []float32, rows, h int, hPrev, hOut []float32) {
	n := checkCell("GRUForward", len(z), rows, h)
	checkLen("GRUForward", n, len(hOut))
	if hPrev != nil {
		checkLen("GRUForward", n, len(hPrev))
	}
	for i := range rows {
		zr, out := z[i*4*h:][:4*h], hOut[i*h:][:h]
		state, r, u, a := zr[:h], zr[h:2*h], zr[2*h:3*h], zr[3*h:]
		Sigmoid(zr[h:3*h], zr[h:3*h])
		if hPrev != nil {
			copy(out, hPrev[i*h:][:h])
		} else {
			clear(out)
		}
		gruState(state, r, a)
		Axpy(out, -1, state)
		Mul(out, out, u)
		Add(out, state)
	}
}

// gruState sets state = tanh(state + r·a).
func gruState(state, r, a []float32) {
	const block = 256
	var buf [block]float32
	for i := 0; i < len(state); i += block {
		end := min(i+block, len(state))
		ra := buf[:end-i]
		Mul(ra, r[i:end], a[i:end])
		Add(state[i:end], ra)
	}
	Tanh(state, state)
}

// GRUBackward is the gradient of GRUForward. z holds the activations n, r, u and
// a; dh the gradient by hOut, on return that part of the gradient by hPrev which
// does not come through a and the gates. dz, which may be z, receives the
// gradient by what z held before:
//
//	dz_n = dh·(1−u)·(1−n²);                  da = dz_n·r
//	dz_r = dz_n·a·r(1−r);                    dz_u = dh·(hPrev−n)·u(1−u)
//	dh' = dh·u
//
// Results below 2⁻¹⁰⁰ are zero, as those of LSTMBackward.
func GRUBackward(z []float32, rows, h int, hPrev, dh, dz []float32) {
	total := checkCell("GRUBackward", len(z), rows, h)
	checkLen("GRUBackward", total, len(dh))
	checkLen("GRUBackward", 4*total, len(dz))
	if hPrev != nil {
		checkLen("GRUBackward", total, len(hPrev))
	}
	for i := range rows {
		zr, dr, g := z[i*4*h:][:4*h], dz[i*4*h:][:4*h], dh[i*h:][:h]
		for j, v := range g {
			n, r, u, a := zr[j], zr[h+j], zr[2*h+j], zr[3*h+j]
			old := -n
			if hPrev != nil {
				old += hPrev[i*h+j]
			}
			dn := float32(v*(1-u)) * (1 - float32(n*n))
			dr[j] = flush(dn)
			dr[h+j] = flush(float32(dn*a) * float32(r*(1-r)))
			dr[2*h+j] = flush(float32(v*old) * float32(u*(1-u)))
			dr[3*h+j] = flush(float32(dn * r))
			g[j] = flush(float32(v * u))
		}
	}
}
