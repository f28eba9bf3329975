//go:build generate

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// accumulators are the registers that hold the C of one tile.
type accumulators struct {
	lanes
	regs [][]VecVirtual // [rows][vecs]
}

// registers returns rows × vecs new registers.
func registers(rows, vecs int, vec func() VecVirtual) [][]VecVirtual {
	acc := make([][]VecVirtual, rows)
	for i := range acc {
		for range vecs {
			acc[i] = append(acc[i], vec())
		}
	}
	return acc
}

// clear sets all to zero.
func (acc accumulators) clear() {
	for _, row := range acc.regs {
		for _, r := range row {
			acc.zero(r)
		}
	}
}

// masked tells whether vector v of a row has fewer columns than lanes.
func (acc accumulators) masked(v int) bool { return v == len(acc.regs[0])-1 && acc.load != nil }

// loadVec loads vector v of the row at p.
func (acc accumulators) loadVec(p GPVirtual, v int, r VecVirtual) {
	if m := (Mem{Base: p, Disp: v * acc.bytes}); acc.masked(v) {
		acc.load(m, r)
	} else {
		VMOVUPS(m, r)
	}
}

// loadFrom loads the tile at c.
func (acc accumulators) loadFrom(c, cRow GPVirtual) {
	row := GP64()
	MOVQ(c, row)
	for i := range acc.regs {
		if i > 0 {
			ADDQ(cRow, row)
		}
		for v, r := range acc.regs[i] {
			acc.loadVec(row, v, r)
		}
	}
}

// storeTo stores the tile at c, and moves c to the next one.
func (acc accumulators) storeTo(c, cRow GPVirtual) {
	for _, row := range acc.regs {
		for v, r := range row {
			if m := (Mem{Base: c, Disp: v * acc.bytes}); acc.masked(v) {
				acc.store(r, m)
			} else {
				VMOVUPS(r, m)
			}
		}
		ADDQ(cRow, c)
	}
}

// addHoldingB adds a column of A times the row of B at b. The row of B stays in registers.
func (acc accumulators) addHoldingB(column []Mem, b GPVirtual) {
	ys := make([]VecVirtual, len(acc.regs[0]))
	for v := range ys {
		ys[v] = acc.vec()
		acc.loadVec(b, v, ys[v])
	}
	for i, row := range acc.regs {
		x := acc.vec()
		VBROADCASTSS(column[i], x)
		for v, y := range ys {
			VFMADD231PS(y, x, row[v])
		}
	}
}

// addHoldingA does the same for a tile that is wider than high: the column of A stays in registers.
func (acc accumulators) addHoldingA(column []Mem, b GPVirtual) {
	xs := make([]VecVirtual, len(column))
	for i := range xs {
		xs[i] = acc.vec()
		VBROADCASTSS(column[i], xs[i])
	}
	for v := range acc.regs[0] {
		if len(xs) == 1 && v < len(acc.regs[0])-1 {
			VFMADD231PS(Mem{Base: b, Disp: v * acc.bytes}, xs[0], acc.regs[0][v])
			continue
		}
		y := acc.vec()
		acc.loadVec(b, v, y)
		for i, x := range xs {
			VFMADD231PS(y, x, acc.regs[i][v])
		}
	}
}
