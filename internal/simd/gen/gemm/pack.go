//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"imdbexp/internal/simd/gen/neon"
)

// transpose8 writes transpose8x8: blocks of 8 rows × 8 columns, transposed in
// registers (halves joined by inserting loads, then two rounds of shuffles).
func transpose8() {
	dst, dstRow, src, srcRow, blocks := transposed()
	three := func(r Register) Register {
		x := GP64()
		LEAQ(Mem{Base: r, Index: r, Scale: 2}, x)
		return x
	}
	srcRow3, dstRow3 := three(srcRow), three(dstRow)
	low, high := src, GP64()
	LEAQ(Mem{Base: src, Index: srcRow, Scale: 4}, high)
	at := func(base, row, row3 Register, i, disp int) Mem {
		m := Mem{Base: base, Disp: disp}
		switch i {
		case 1:
			m.Index, m.Scale = row, 1
		case 2:
			m.Index, m.Scale = row, 2
		case 3:
			m.Index, m.Scale = row3, 1
		}
		return m
	}
	Label("block")
	// q[h][i]: columns 4h…4h+3 of row i in the low half, of row i+4 in the high one.
	var q [2][4]VecVirtual
	for h := range q {
		for i := range q[h] {
			q[h][i] = YMM()
			VMOVUPS(at(low, srcRow, srcRow3, i, 16*h), q[h][i].AsX())
			VINSERTF128(Imm(1), at(high, srcRow, srcRow3, i, 16*h), q[h][i], q[h][i])
		}
	}
	for h := range q {
		u, w := registers(1, 4, YMM)[0], registers(1, 4, YMM)[0]
		turn(q[h][:], u, w)
		for i, column := range w {
			VMOVUPS(column, at(dst, dstRow, dstRow3, i, 0))
		}
		LEAQ(Mem{Base: dst, Index: dstRow, Scale: 4}, dst)
	}
	ADDQ(Imm(32), low)
	ADDQ(Imm(32), high)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// transposed starts the kernel of transpose8 and loads its parameters.
func transposed() (dst, dstRow, src, srcRow, blocks Register) {
	TEXT("transpose8x8", NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow int, blocks int)")
	Pragma("noescape")
	Doc("transpose8x8 writes dst[8·blocks, 8] = src[8, 8·blocks]ᵀ; the rows lie dstRow and srcRow bytes apart.")
	dst, dstRow = Load(Param("dst"), GP64()), Load(Param("dstRow"), GP64())
	src, srcRow = Load(Param("src"), GP64()), Load(Param("srcRow"), GP64())
	blocks = Load(Param("blocks"), GP64())
	return dst, dstRow, src, srcRow, blocks
}

// turn sets w to four rows of four lanes as columns, in each half of a YMM register; u is for
// intermediate results.
func turn(r, u, w []VecVirtual) {
	VUNPCKLPS(r[1], r[0], u[0])
	VUNPCKHPS(r[1], r[0], u[1])
	VUNPCKLPS(r[3], r[2], u[2])
	VUNPCKHPS(r[3], r[2], u[3])
	VUNPCKLPD(u[2], u[0], w[0])
	VUNPCKHPD(u[2], u[0], w[1])
	VUNPCKLPD(u[3], u[1], w[2])
	VUNPCKHPD(u[3], u[1], w[3])
}

// transpose8NEON is transpose8 in quarters of 4 × 4.
func transpose8NEON() {
	dst, dstRow, src, srcRow, blocks := transposed()
	Label("block")
	row := GP64()
	MOVQ(src, row)
	var q [2][8]VecVirtual // by column, in fours, and row
	for i := range 8 {
		for h := range q {
			q[h][i] = XMM()
			VMOVUPS(Mem{Base: row, Disp: 16 * h}, q[h][i])
		}
		ADDQ(srcRow, row)
	}
	for h := range q {
		var u, w [2][4]VecVirtual // w by row, in fours, and column
		for g := range w {
			for i := range 4 {
				u[g][i], w[g][i] = XMM(), XMM()
			}
			turn(q[h][4*g:][:4], u[g][:], w[g][:])
		}
		for i := range 4 {
			neon.StorePair(Mem{Base: dst}, w[0][i], w[1][i])
			ADDQ(dstRow, dst)
		}
	}
	ADDQ(Imm(32), src)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	RET()
}

// fmaVectors writes fma8, against which the tests hold the portable fma.
func fmaVectors(vec func() VecVirtual, vectors int) {
	TEXT("fma8", NOSPLIT, "func(dst, x, y, z *float32, vecs int)")
	Pragma("noescape")
	Doc("fma8 sets dst[i] = x[i]·y[i] + z[i], rounded once, for 8·vecs elements (vecs ≥ 1).")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	y, z := Load(Param("y"), GP64()), Load(Param("z"), GP64())
	n := Load(Param("vecs"), GP64())
	Label("loop")
	for v := range vectors {
		d := 32 / vectors * v
		r, s := vec(), vec()
		VMOVUPS(Mem{Base: x, Disp: d}, r)
		VMOVUPS(Mem{Base: z, Disp: d}, s)
		VFMADD231PS(Mem{Base: y, Disp: d}, r, s)
		VMOVUPS(s, Mem{Base: dst, Disp: d})
	}
	for _, p := range []Register{dst, x, y, z} {
		ADDQ(Imm(32), p)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
