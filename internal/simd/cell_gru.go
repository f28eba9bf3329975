package simd

// GRUForward computes one step of a GRU cell for each of rows sequences of hidden
// width h (Cho et al. 2014, in PyTorch's form, where the reset gate r acts on the
// product with the state):
//
//	r, u = σ(z_r), σ(z_u);  n = tanh(z_n + r·a)
//	hOut = n + u·(hPrev − n)
//
// z [rows, 4h] holds z_n, z_r, z_u and a, the product with the old state including
// its bias. The first three are overwritten by n, r and u, which
// GRUBackward needs. hPrev and hOut are [rows, h]; hPrev may be nil (zeros) or
// hOut itself.
func GRUForward(z []float32, rows, h int, hPrev, hOut []float32) {
	n := checkCell("GRUForward", len(z), rows, h)
	checkLen("GRUForward", n, len(hOut))
	if hPrev == nil {
		clear(hOut)
		hPrev = hOut
	}
	checkLen("GRUForward", n, len(hPrev))
	if level != Portable {
		gruForwardVec(ptr(z), ptr(hPrev), ptr(hOut), n, h)
	} else {
		gruForwardPortable(z, rows, h, hPrev, hOut)
	}
}

func gruForwardPortable(z []float32, rows, h int, hPrev, hOut []float32) {
	for i := range rows {
		zr := z[i*4*h:][:4*h]
		for j := range h {
			r, u := Sigmoid1(zr[h+j]), Sigmoid1(zr[2*h+j])
			n := Tanh1(zr[j] + float32(r*zr[3*h+j]))
			zr[j], zr[h+j], zr[2*h+j] = n, r, u
			hOut[i*h+j] = n + float32(u*(hPrev[i*h+j]-n))
		}
	}
}

// GRUBackward is the gradient of GRUForward. z holds the activations n, r, u and
// a. dh holds the gradient of hOut; on return it holds the direct part of the gradient of
// hPrev, without a and the gates. dz, which may be z, receives the
// gradient of the inputs of GRUForward in z:
//
//	dz_n = dh·(1−u)·(1−n²);                  da = dz_n·r
//	dz_r = dz_n·a·r(1−r);                    dz_u = dh·(hPrev−n)·u(1−u)
//	dh' = dh·u
//
// Results below 2⁻¹⁰⁰ are zero, as in LSTMBackward.
func GRUBackward(z []float32, rows, h int, hPrev, dh, dz []float32) {
	total := checkCell("GRUBackward", len(z), rows, h)
	checkLen("GRUBackward", total, len(dh))
	checkLen("GRUBackward", 4*total, len(dz))
	if hPrev != nil {
		checkLen("GRUBackward", total, len(hPrev))
	}
	if level == Portable || hPrev == nil {
		gruBackwardPortable(z, rows, h, hPrev, dh, dz)
		return
	}
	gruBackwardVec(ptr(z), ptr(hPrev), ptr(dh), ptr(dz), total, h)
}

func gruBackwardPortable(z []float32, rows, h int, hPrev, dh, dz []float32) {
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

// RNNBackward is the gradient of a step h = tanh(z) of Elman's cell: dz = dh·(1−h²) for
// states h; dz may be h. Results below 2⁻¹⁰⁰ are zero, as in LSTMBackward.
func RNNBackward(h, dh, dz []float32) {
	checkLen("RNNBackward", len(h), len(dh))
	checkLen("RNNBackward", len(h), len(dz))
	for i, v := range h {
		dz[i] = flush(dh[i] * (1 - float32(v*v)))
	}
}
