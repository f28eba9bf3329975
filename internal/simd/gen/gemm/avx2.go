//go:build generate

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var iota8 Mem

// tileAVX2 writes gemm256x<rows>x<vecs>.
func tileAVX2(rows, vecs int) {
	if iota8.Symbol.Name == "" {
		iota8 = GLOBL("gemmIota", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(uint32(i)))
		}
	}
	t := begin(fmt.Sprintf("gemm256x%dx%d", rows, vecs))
	mask := YMM()
	VPBROADCASTD(t.field("tail"), mask)
	VPCMPGTD(iota8, mask, mask)
	tile(t, rows, vecs, lanes{
		bytes: 32,
		vec:   YMM,
		zero:  func(r VecVirtual) { VXORPS(r, r, r) },
		load: func(m Mem, r VecVirtual, last bool) {
			if last {
				VMASKMOVPS(m, mask, r)
			} else {
				VMOVUPS(m, r)
			}
		},
		store: func(r VecVirtual, m Mem, last bool) {
			if last {
				VMASKMOVPS(r, mask, m)
			} else {
				VMOVUPS(r, m)
			}
		},
		spread: func(m Mem, r VecVirtual) { VBROADCASTSS(m, r) },
		fma:    func(x, y Op, acc VecVirtual) { VFMADD231PS(x, y, acc) },
	})
}
