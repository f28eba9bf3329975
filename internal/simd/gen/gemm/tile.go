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
	acc := accumulators{l, registers(rows, vecs, l.vec)}

	Label("tile")
	CMPQ(t.field("load"), Imm(0))
	JNE(LabelRef("accumulate"))
	acc.clear()
	JMP(LabelRef("begin"))
	Label("accumulate")
	acc.loadFrom(c, cRow)

	Label("begin")
	starts := everyFourth(a, aRow, rows)
	column := columnOf(starts, aRow, aRow3, rows)
	b, k := t.get("b"), t.get("k")
	Label("loop")
	if vecs <= rows {
		acc.addHoldingB(column, b)
	} else {
		acc.addHoldingA(column, b)
	}
	for _, p := range starts {
		ADDQ(aCol, p)
	}
	ADDQ(bRow, b)
	DECQ(k)
	JNZ(LabelRef("loop"))

	acc.storeTo(c, cRow)
	advance(a, aRow, rows)
	DECQ(t.field("tiles"))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// everyFourth returns pointers to the rows 0, 4, 8 … of A, which begins at a.
func everyFourth(a, aRow GPVirtual, rows int) []GPVirtual {
	ps := []GPVirtual{GP64()}
	MOVQ(a, ps[0])
	for i := 4; i < rows; i += 4 {
		p := GP64()
		LEAQ(Mem{Base: ps[len(ps)-1], Index: aRow, Scale: 4}, p)
		ps = append(ps, p)
	}
	return ps
}

// columnOf returns the addresses of one column of A: each is at most three rows from one of starts.
func columnOf(starts []GPVirtual, aRow, aRow3 GPVirtual, rows int) []Mem {
	column := make([]Mem, rows)
	for i := range column {
		m := Mem{Base: starts[i/4]}
		switch i % 4 {
		case 1:
			m.Index, m.Scale = aRow, 1
		case 2:
			m.Index, m.Scale = aRow, 2
		case 3:
			m.Index, m.Scale = aRow3, 1
		}
		column[i] = m
	}
	return column
}

// advance moves a by the given number of rows.
func advance(a, aRow GPVirtual, rows int) {
	if rows%4 == 0 {
		for range rows / 4 {
			LEAQ(Mem{Base: a, Index: aRow, Scale: 4}, a)
		}
		return
	}
	step := GP64()
	IMUL3Q(Imm(uint64(rows)), aRow, step)
	ADDQ(step, a)
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

// begin starts a kernel, a symbol of its file alone.
func begin(name string) args {
	TEXT(name+"<>", NOSPLIT, "func(t *tile)")
	return args{Dereference(Param("t"))}
}
