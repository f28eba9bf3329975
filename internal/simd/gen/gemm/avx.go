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
		load:  func(m Mem, r VecVirtual) { VMASKMOVPS(m, mask, r) },
		store: func(r VecVirtual, m Mem) { VMASKMOVPS(r, mask, m) },
	})
}

// tileAVX512 writes gemm512x<rows>x<vecs>. A masked load needs a slot of the
// port that the multiplications use, so the tall tiles also exist without masks.
func tileAVX512(rows, vecs int, masked bool) {
	l := lanes{bytes: 64, vec: ZMM, zero: func(r VecVirtual) { VPXORD(r, r, r) }}
	name := fmt.Sprintf("gemm512x%dx%d", rows, vecs)
	if !masked {
		tile(begin(name+"full"), rows, vecs, l)
		return
	}
	t := begin(name)
	ones := GP32()
	MOVQ(t.field("tail"), RCX)
	MOVL(U32(1), ones)
	SHLL(CL, ones)
	DECL(ones)
	KMOVW(ones, K1)
	l.load = func(m Mem, r VecVirtual) { VMOVUPS_Z(m, K1, r) }
	l.store = func(r VecVirtual, m Mem) { VMOVUPS(r, K1, m) }
	tile(t, rows, vecs, l)
}
