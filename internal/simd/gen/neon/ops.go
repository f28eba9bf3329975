//go:build generate

package neon

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func emit(op string, in, out []operand.Op, operands ...operand.Op) {
	build.Instruction(&ir.Instruction{Opcode: op, Operands: operands, Inputs: in, Outputs: out})
}

type ops = []operand.Op

// LoadFirst loads the first n lanes of a vector, where 0 ≤ n ≤ 4; the others are zero,
// and memory beyond the lanes is not read.
func LoadFirst(m operand.Mem, n reg.GPVirtual, d reg.VecVirtual) {
	emit("LOADFIRST", ops{m, n}, ops{d}, m, n, d)
}

// StoreFirst stores the first n lanes of a vector, where 0 ≤ n ≤ 4.
func StoreFirst(m operand.Mem, n reg.GPVirtual, v reg.VecVirtual) {
	emit("STOREFIRST", ops{v, n}, ops{m}, v, m, n)
}

// MulAdd adds the products of x with one lane of y to acc.
func MulAdd(x, y reg.VecVirtual, lane int, acc reg.VecVirtual) {
	emit("FMLALANE", ops{x, y, acc}, ops{acc}, x, y, operand.U8(lane), acc)
}

// Three is an instruction of encode.go with three registers: d = n op m.
func Three(op string, m, n, d reg.VecVirtual) {
	emit("THREE "+op, ops{m, n}, ops{d}, m, n, d)
}

// Two is an instruction of encode.go with two registers.
func Two(op string, n, d reg.VecVirtual) { emit("TWO "+op, ops{n}, ops{d}, n, d) }

// SquareAdd adds the squares of two float64 to acc.
func SquareAdd(x, acc reg.VecVirtual) { emit("SQUAREADD", ops{x, acc}, ops{acc}, x, acc) }

// LoadNext loads a vector or its lower part, of bytes bytes, 16, 8 or 4, from p, which
// moves on by step bytes.
func LoadNext(p reg.GPVirtual, step, bytes int, d reg.VecVirtual) {
	emit("LOADNEXT", ops{p}, ops{d, p}, p, operand.U32(step), operand.U8(bytes), d)
}

// LoadStep loads a vector from p, which moves on by step bytes.
func LoadStep(p, step reg.GPVirtual, d reg.VecVirtual) {
	emit("LOADSTEP", ops{p, step}, ops{d, p}, p, step, d)
}

// LoadPart loads the lower bytes bytes of a vector: 16, 8 or 4.
func LoadPart(m operand.Mem, bytes int, d reg.VecVirtual) {
	emit("LOADPART", ops{m}, ops{d}, m, operand.U8(bytes), d)
}

// LoadPair loads two neighbouring vectors.
func LoadPair(m operand.Mem, d, e reg.VecVirtual) { emit("LOADPAIR", ops{m}, ops{d, e}, m, d, e) }

// StorePair stores two neighbouring vectors.
func StorePair(m operand.Mem, d, e reg.VecVirtual) { emit("STOREPAIR", ops{d, e}, ops{m}, d, e, m) }

// Choose sets the bits of d to the bits of x where the mask has ones, and of y
// where it has zeros.
func Choose(mask, x, y, d reg.VecVirtual) { emit("CHOOSE", ops{mask, x, y}, ops{d}, mask, x, y, d) }
