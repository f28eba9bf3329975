package simd

// AdamRows performs AdamStep on some rows of w, m and v [R, d]: row k of g is the
// gradient of row ids[k]. No row may be named twice.
func AdamRows(w, g, m, v []float32, d int, ids []int32, p AdamParams) {
	checkLen("AdamRows", len(w), len(m), len(v))
	checkLen("AdamRows", len(g), len(ids)*d)
	if d <= 0 || len(ids) == 0 {
		return
	}
	checkRows("AdamRows", ids, len(w), d)
	k := p.consts()
	if level != Portable {
		adamRowsVec(ptr(w), ptr(g), ptr(m), ptr(v), d, ptr(ids), len(ids), &k)
	} else {
		for u, i := range ids {
			at := int(i) * d
			adamPortable(w[at:at+d], g[u*d:][:d], m[at:at+d], v[at:at+d], &k)
		}
	}
}
