//go:build generate

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tileAVX512 writes gemm512x<rows>x<vecs>. A masked load needs a slot of the
// port that the multiplications use, so the tall tiles also exist without masks.
func tileAVX512(rows, vecs int, masked bool) {
	name := fmt.Sprintf("gemm512x%dx%d", rows, vecs)
	if !masked {
		name += "full"
	}
	t := begin(name)
	if masked {
		ones := GP32()
		MOVQ(t.field("tail"), RCX)
		MOVL(U32(1), ones)
		SHLL(CL, ones)
		DECL(ones)
		KMOVW(ones, K1)
	}
	tile(t, rows, vecs, lanes{
		bytes: 64,
		vec:   ZMM,
		zero:  func(r VecVirtual) { VPXORD(r, r, r) },
		load: func(m Mem, r VecVirtual, last bool) {
			if masked && last {
				VMOVUPS_Z(m, K1, r)
			} else {
				VMOVUPS(m, r)
			}
		},
		store: func(r VecVirtual, m Mem, last bool) {
			if masked && last {
				VMOVUPS(r, K1, m)
			} else {
				VMOVUPS(r, m)
			}
		},
		spread: func(m Mem, r VecVirtual) { VBROADCASTSS(m, r) },
		fma:    func(x, y Op, acc VecVirtual) { VFMADD231PS(x, y, acc) },
	})
}
