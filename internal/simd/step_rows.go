package simd

import (
	"fmt"
	"unsafe"
)

// AdamRows performs AdamStep on some rows of w, m and v [R, d]: row k of g is the
// gradient of row ids[k]. No row may be named twice.
func AdamRows(w, g, m, v []float32, d int, ids []int32, p AdamParams) {
	checkLen("AdamRows", len(w), len(m), len(v))
	checkLen("AdamRows", len(g), len(ids)*d)
	if d <= 0 || len(ids) == 0 {
		return
	}
	highest, rows := uint32(0), len(w)/d // a negative row is a very high one
	for _, i := range ids {
		highest = max(highest, uint32(i))
	}
	if int64(highest) >= int64(rows) {
		panic(fmt.Sprintf("simd.AdamRows: row %d of %d", int32(highest), rows))
	}
	k := p.consts()
	a, b, e, f := unsafe.SliceData(w), unsafe.SliceData(g), unsafe.SliceData(m), unsafe.SliceData(v)
	if level != Portable {
		adamRowsVec(a, b, e, f, d, unsafe.SliceData(ids), len(ids), &k)
	} else {
		for u, i := range ids {
			at := int(i) * d
			adamPortable(w[at:at+d], g[u*d:][:d], m[at:at+d], v[at:at+d], &k)
		}
	}
}
