//go:build generate

package main

import (
	"log"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes are the operations of a family of kernels on one vector.
type lanes struct {
	bytes int                       // size of a vector
	vec   func() VecVirtual         // a new register
	zero  func(r VecVirtual)        // r = 0
	load  func(m Mem, r VecVirtual) // of the last vector of a row, masked; nil without a mask
	store func(r VecVirtual, m Mem)
}

// tile writes the body of one kernel: t.tiles times
//
//	C[rows, vecs] (+)= A[rows, k] · B[k, vecs]
//
// one below the other: A and C advance by rows, B stays. The accumulators stay
// in registers over all of k, and start with C or with zero. A is read by
// broadcasts with any stride, so a transposed A needs no copy.
func tile(t args, rows, vecs int, l lanes) {
	aRow, aCol, bRow := t.get("aRow"), t.get("aCol"), t.get("bRow")
	a, c, cRow := t.get("a"), t.get("c"), t.get("cRow")
	var aRow3 GPVirtual
	if rows > 3 {
		aRow3 = GP64()
		LEAQ(Mem{Base: aRow, Index: aRow, Scale: 2}, aRow3)
	}
	acc := registers(rows, vecs, l.vec)
	masked := func(v int) bool { return v == vecs-1 && l.load != nil }
	load := func(m Mem, r VecVirtual, v int) {
		if masked(v) {
			l.load(m, r)
		} else {
			VMOVUPS(m, r)
		}
	}

	Label("tile")
	CMPQ(t.field("load"), Imm(0))
	JNE(LabelRef("accumulate"))
	for i := range acc {
		for v := range acc[i] {
			l.zero(acc[i][v])
		}
	}
	JMP(LabelRef("begin"))
	Label("accumulate")
	row := GP64()
	MOVQ(c, row)
	for i := range acc {
		for v := range acc[i] {
			load(Mem{Base: row, Disp: v * l.bytes}, acc[i][v], v)
		}
		if i < rows-1 {
			ADDQ(cRow, row)
		}
	}

	Label("begin")
	ps := []GPVirtual{GP64()} // the rows 0, 4, 8 of A
	MOVQ(a, ps[0])
	for i := 4; i < rows; i += 4 {
		p := GP64()
		LEAQ(Mem{Base: ps[len(ps)-1], Index: aRow, Scale: 4}, p)
		ps = append(ps, p)
	}
	at := func(i int) Mem {
		m := Mem{Base: ps[i/4]}
		switch i % 4 {
		case 1:
			m.Index, m.Scale = aRow, 1
		case 2:
			m.Index, m.Scale = aRow, 2
		case 3:
			m.Index, m.Scale = aRow3, 1
		}
		return m
	}
	b, k := t.get("b"), t.get("k")
	Label("loop")
	if vecs <= rows { // hold the vectors of B, stream A
		bs := make([]VecVirtual, vecs)
		for v := range bs {
			bs[v] = l.vec()
			load(Mem{Base: b, Disp: v * l.bytes}, bs[v], v)
		}
		for i := range acc {
			x := l.vec()
			VBROADCASTSS(at(i), x)
			for v := range bs {
				VFMADD231PS(bs[v], x, acc[i][v])
			}
		}
	} else { // hold the scalars of A, stream B
		xs := make([]VecVirtual, rows)
		for i := range xs {
			xs[i] = l.vec()
			VBROADCASTSS(at(i), xs[i])
		}
		for v := range vecs {
			m := Mem{Base: b, Disp: v * l.bytes}
			if rows == 1 && v < vecs-1 {
				VFMADD231PS(m, xs[0], acc[0][v])
				continue
			}
			y := l.vec()
			load(m, y, v)
			for i := range xs {
				VFMADD231PS(y, xs[i], acc[i][v])
			}
		}
	}
	for _, p := range ps {
		ADDQ(aCol, p)
	}
	ADDQ(bRow, b)
	DECQ(k)
	JNZ(LabelRef("loop"))

	for i := range acc {
		for v := range acc[i] {
			if m := (Mem{Base: c, Disp: v * l.bytes}); masked(v) {
				l.store(acc[i][v], m)
			} else {
				VMOVUPS(acc[i][v], m)
			}
		}
		ADDQ(cRow, c)
	}
	if rows%4 == 0 {
		LEAQ(Mem{Base: a, Index: aRow, Scale: 4}, a)
		for i := 4; i < rows; i += 4 {
			LEAQ(Mem{Base: a, Index: aRow, Scale: 4}, a)
		}
	} else {
		step := GP64()
		IMUL3Q(Imm(uint64(rows)), aRow, step)
		ADDQ(step, a)
	}
	DECQ(t.field("tiles"))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// args is the argument of a kernel, a *simd.tile.
type args struct{ gotypes.Component }

func (a args) field(name string) Mem {
	b, err := a.Field(name).Resolve()
	if err != nil {
		log.Fatal(err)
	}
	return b.Addr
}

// get loads a field into a register.
func (a args) get(name string) GPVirtual {
	r := GP64()
	MOVQ(a.field(name), r)
	return r
}

// registers returns the accumulators of a tile.
func registers(rows, vecs int, vec func() VecVirtual) [][]VecVirtual {
	acc := make([][]VecVirtual, rows)
	for i := range acc {
		for range vecs {
			acc[i] = append(acc[i], vec())
		}
	}
	return acc
}

// begin starts a kernel, a symbol of its file alone.
func begin(name string) args {
	TEXT(name+"<>", NOSPLIT, "func(t *tile)")
	return args{Dereference(Param("t"))}
}
