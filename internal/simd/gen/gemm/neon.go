//go:build generate

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"imdbexp/internal/simd/gen/neon"
)

// mostNEON is mostAVX512 for NEON: accumulators + rows (each with four steps of A) + 2
// vectors of B ≤ 32. With 24 accumulators a core that begins four FMLA a cycle, each of
// four cycles, has half as many again as it needs.
var mostNEON = [...]int{1: 8, 2: 8, 3: 6, 4: 6, 5: 4, 6: 4}

// tileNEON writes gemmNEONx<rows>x<vecs>, or with a transposed A gemmNEONTx<rows>x<vecs>:
//
//	C[rows, vecs] (+)= A[rows, k] · B[k, vecs]
//
// tiles times, one below the other, as tile does. FMLA multiplies a vector of B by one
// lane of A, so that A is read in vectors, too: four steps of each row or, transposed,
// all rows of one step.
//
// NEON has no masks. If the last vector has fewer columns, it starts
// earlier and overlaps the one before it: both compute the same bits there.
// A single vector is loaded and stored by lanes.
func tileNEON(rows, vecs int, transposed bool) {
	name := "gemmNEON"
	if transposed {
		name = "gemmNEONT"
	}
	t := begin(fmt.Sprintf("%sx%dx%d", name, rows, vecs))
	a, c, bRow := t.get("a"), t.get("c"), t.get("bRow")
	acc := registers(rows, vecs, XMM)
	last := func(row GPVirtual) GPVirtual { return lastVector(t, row, vecs) }

	Label("tile")
	CMPQ(t.field("load"), Imm(0))
	JNE(LabelRef("accumulate"))
	for i := range acc {
		for v := range acc[i] {
			VXORPS(acc[i][v], acc[i][v], acc[i][v])
		}
	}
	JMP(LabelRef("begin"))
	Label("accumulate")
	row, cRow := GP64(), t.get("cRow")
	MOVQ(c, row)
	eachOf(acc, row, cRow, last(row), neon.LoadPair, func(m Mem, r VecVirtual) { VMOVUPS(m, r) }, neon.LoadFirst)

	Label("begin")
	b, k := t.get("b"), t.get("k")
	bLast := last(b)
	step := func(lane laneOf) { multiplyStep(acc, b, bRow, bLast, lane) }
	if transposed {
		stepsTransposed(a, t.get("aCol"), k, rows, step)
	} else {
		stepsByFour(a, t.get("aRow"), k, rows, step)
	}

	row, cRow = GP64(), t.get("cRow")
	end := last(c)
	MOVQ(c, row)
	eachOf(acc, row, cRow, end, neon.StorePair, func(m Mem, r VecVirtual) { VMOVUPS(r, m) }, neon.StoreFirst)
	MOVQ(row, c)
	aRow, n := t.get("aRow"), GP64()
	MOVQ(U32(rows), n)
	IMULQ(n, aRow)
	ADDQ(aRow, a)
	DECQ(t.field("tiles"))
	JNZ(LabelRef("tile"))
	RET()
}

// lastVector returns a pointer to the last vector of the row of C or B at row; a single vector
// has the number of its lanes instead.
func lastVector(t args, row GPVirtual, vecs int) GPVirtual {
	p := t.get("tail")
	if vecs > 1 {
		SHLQ(Imm(2), p)
		ADDQ(Imm(uint64(16*(vecs-2))), p)
		ADDQ(row, p)
	}
	return p
}

// laneOf returns the element of A that belongs to a row of the tile: a register and its lane.
type laneOf = func(row int) (VecVirtual, int)

// multiplyStep adds a column of A times the row of B at b, and goes to the next row of B.
func multiplyStep(acc [][]VecVirtual, b, bRow, bLast GPVirtual, lane laneOf) {
	multiply := func(v int, y VecVirtual) {
		for i := range acc {
			x, l := lane(i)
			neon.MulAdd(y, x, l, acc[i][v])
		}
	}
	last := len(acc[0]) - 1
	eachVector(last, func(v int, pair bool) {
		m := Mem{Base: b, Disp: 16 * v}
		y := XMM()
		if !pair {
			VMOVUPS(m, y)
			multiply(v, y)
			return
		}
		z := XMM()
		neon.LoadPair(m, y, z)
		multiply(v, y)
		multiply(v+1, z)
	})
	y := XMM()
	if last == 0 {
		neon.LoadFirst(Mem{Base: b}, bLast, y)
	} else {
		neon.LoadStep(bLast, bRow, y)
	}
	ADDQ(bRow, b)
	multiply(last, y)
}

// eachOf loads or stores the vectors of a tile, whose rows begin at row, in pairs. end is the
// first row's lastVector.
func eachOf(acc [][]VecVirtual, row, cRow, end GPVirtual, pair func(m Mem, r, s VecVirtual), one func(m Mem, r VecVirtual), first func(m Mem, n GPVirtual, r VecVirtual)) {
	for _, r := range acc {
		last := len(r) - 1
		eachVector(last, func(v int, two bool) {
			if m := (Mem{Base: row, Disp: 16 * v}); two {
				pair(m, r[v], r[v+1])
			} else {
				one(m, r[v])
			}
		})
		if last == 0 {
			first(Mem{Base: row}, end, r[0])
		} else {
			one(Mem{Base: end}, r[last])
			ADDQ(cRow, end)
		}
		ADDQ(cRow, row)
	}
}

// eachVector calls f for pairs of n vectors and then for the one that is left.
func eachVector(n int, f func(v int, pair bool)) {
	for v := 0; v < n; v += 2 {
		f(v, v+1 < n)
	}
}

// stepsByFour runs the k steps of rows whose elements lie next to each other.
func stepsByFour(a, aRow, k GPVirtual, rows int, step func(laneOf)) {
	ps := make([]GPVirtual, rows)
	for i := range ps {
		ps[i] = GP64()
		if i == 0 {
			MOVQ(a, ps[0])
		} else {
			LEAQ(Mem{Base: ps[i-1], Index: aRow, Scale: 1}, ps[i])
		}
	}
	load := func(steps int) []VecVirtual {
		xs := make([]VecVirtual, rows)
		for i, p := range ps {
			xs[i] = XMM()
			neon.LoadNext(p, 4*steps, 4*steps, xs[i])
		}
		return xs
	}
	SUBQ(Imm(4), k)
	JLT(LabelRef("rest"))
	Label("four")
	xs := load(4)
	for s := range 4 {
		step(func(row int) (VecVirtual, int) { return xs[row], s })
	}
	SUBQ(Imm(4), k)
	JGE(LabelRef("four"))
	Label("rest")
	ADDQ(Imm(4), k)
	JEQ(LabelRef("store"))
	Label("one")
	xs = load(1)
	step(func(row int) (VecVirtual, int) { return xs[row], 0 })
	DECQ(k)
	JNZ(LabelRef("one"))
	Label("store")
}

// stepsTransposed runs the k steps if the rows of one step are contiguous.
func stepsTransposed(a, aCol, k GPVirtual, rows int, step func(laneOf)) {
	p := GP64()
	MOVQ(a, p)
	Label("step")
	var xs []VecVirtual
	var lanes []int // of each row
	for done := 0; done < rows; {
		n := 1
		for ; n < 4 && 2*n <= rows-done; n *= 2 {
		}
		x := XMM()
		neon.LoadPart(Mem{Base: p, Disp: 4 * done}, 4*n, x)
		for l := range n {
			xs, lanes = append(xs, x), append(lanes, l)
		}
		done += n
	}
	ADDQ(aCol, p)
	step(func(row int) (VecVirtual, int) { return xs[row], lanes[row] })
	DECQ(k)
	JNZ(LabelRef("step"))
}
