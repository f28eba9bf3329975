package simd

// RNNBackward is the gradient of a step h = tanh(z) of Elman's cell: dz = dh·(1−h²) for
// states h; dz may be h. Results below 2⁻¹⁰⁰ are zero, as in LSTMBackward.
func RNNBackward(h, dh, dz []float32) {
	checkLen("RNNBackward", len(h), len(dh))
	checkLen("RNNBackward", len(h), len(dz))
	for i, v := range h {
		dz[i] = flush(dh[i] * (1 - float32(v*v)))
	}
}
