//go:build generate

package main

import (
	"log"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes are the operations of a family of kernels: how to keep, load and store one
// vector. v counts the vectors of a row; the last of them is the masked one.
type lanes struct {
	bytes  int                // size of a vector
	vec    func() VecVirtual  // a new register
	zero   func(r VecVirtual) // r = 0
	load   func(m Mem, r VecVirtual, last bool)
	store  func(r VecVirtual, m Mem, last bool)
	spread func(m Mem, r VecVirtual)     // r = the scalar at m in every lane
	fma    func(x, y Op, acc VecVirtual) // acc += x·y
}

// tile writes the body of one kernel: t.tiles times
//
//	C[rows, vecs] (+)= A[rows, k] · B[k, vecs]
//
// one below the other: A and C advance by rows, B stays. The accumulators stay
// in registers over all of k, and start with C or with zero. A is read by
// broadcasts with any stride, so a transposed A needs no copy.
func tile(t args, rows, vecs int, l lanes) {
	get := func(name string) GPVirtual {
		r := GP64()
		MOVQ(t.field(name), r)
		return r
	}
	aRow, aCol, bRow := get("aRow"), get("aCol"), get("bRow")
	a, c, cRow := get("a"), get("c"), get("cRow")
	var aRow3 GPVirtual
	if rows > 3 {
		aRow3 = GP64()
		LEAQ(Mem{Base: aRow, Index: aRow, Scale: 2}, aRow3)
	}
	acc := make([][]VecVirtual, rows)
	for i := range acc {
		acc[i] = make([]VecVirtual, vecs)
		for v := range acc[i] {
			acc[i][v] = l.vec()
		}
	}
	last := func(v int) bool { return v == vecs-1 }

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
			l.load(Mem{Base: row, Disp: v * l.bytes}, acc[i][v], last(v))
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
	b, k := get("b"), get("k")
	Label("loop")
	if vecs <= rows { // hold the vectors of B, stream A
		bs := make([]VecVirtual, vecs)
		for v := range bs {
			bs[v] = l.vec()
			l.load(Mem{Base: b, Disp: v * l.bytes}, bs[v], last(v))
		}
		for i := range acc {
			x := l.vec()
			l.spread(at(i), x)
			for v := range bs {
				l.fma(bs[v], x, acc[i][v])
			}
		}
	} else { // hold the scalars of A, stream B
		xs := make([]VecVirtual, rows)
		for i := range xs {
			xs[i] = l.vec()
			l.spread(at(i), xs[i])
		}
		for v := range vecs {
			m := Mem{Base: b, Disp: v * l.bytes}
			if rows == 1 && !last(v) {
				l.fma(m, xs[0], acc[0][v])
				continue
			}
			y := l.vec()
			l.load(m, y, last(v))
			for i := range xs {
				l.fma(y, xs[i], acc[i][v])
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
			l.store(acc[i][v], Mem{Base: c, Disp: v * l.bytes}, last(v))
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

// begin starts a kernel, a symbol of its file alone.
func begin(name string) args {
	TEXT(name+"<>", NOSPLIT, "func(t *tile)")
	return args{Dereference(Param("t"))}
}
