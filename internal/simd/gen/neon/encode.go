package neon

import "fmt"

// The instructions that Go's assembler lacks, as words of the Arm Architecture
// Reference Manual (DDI 0487, chapter C7.2), all registers zero. Arrangements are .4S
// unless the name says otherwise.
var words = map[string]uint32{
	// Vd, Vn, Vm
	"FADD":    0x4e20d400,
	"FSUB":    0x4ea0d400,
	"FMUL":    0x6e20dc00,
	"FDIV":    0x6e20fc00,
	"FMAX":    0x4e20f400,
	"FMIN":    0x4ea0f400,
	"FCMEQ":   0x4e20e400,
	"FCMGE":   0x6e20e400,
	"FCMGT":   0x6ea0e400,
	"FACGT":   0x6ea0ec00,
	"CMHS":    0x6ea03c00,
	"MUL":     0x4ea09c00,
	"BIC.16B": 0x4e601c00,
	"FADD.2D": 0x4e60d400,
	// Vd, Vn
	"FSQRT":   0x6ea1f800,
	"SCVTF":   0x4e21d800,
	"FCVTL":   0x0e617800, // .2D from .2S
	"FCVTL2":  0x4e617800, // .2D from .4S
	"NOT.16B": 0x6e205800,
	// Vd, Vn, #shift
	"SSHR": 0x4f000400,
	// Vd, Vn, Vm[lane]
	"FMLA.lane": 0x4f801000,
}

func base(op string, registers ...int) uint32 {
	w, ok := words[op]
	if !ok {
		panic("neon: no encoding for " + op)
	}
	for _, r := range registers {
		if r < 0 || r > 31 {
			panic(fmt.Sprintf("neon: %s has no register V%d", op, r))
		}
	}
	return w
}

// encode3 encodes an instruction with three registers.
func encode3(op string, d, n, m int) uint32 {
	return base(op, d, n, m) | uint32(m)<<16 | uint32(n)<<5 | uint32(d)
}

// encode2 encodes an instruction with two registers.
func encode2(op string, d, n int) uint32 { return base(op, d, n) | uint32(n)<<5 | uint32(d) }

// encodeShift encodes a right shift of 32-bit lanes by 1 up to 32 bits.
func encodeShift(op string, d, n, shift int) uint32 {
	if shift < 1 || shift > 32 {
		panic(fmt.Sprintf("neon: %s by %d", op, shift))
	}
	return encode2(op, d, n) | uint32(64-shift)<<16
}

// encodeLane encodes a multiplication by one 32-bit lane of m.
func encodeLane(op string, d, n, m, lane int) uint32 {
	if lane < 0 || lane > 3 {
		panic(fmt.Sprintf("neon: %s has no lane %d", op, lane))
	}
	// The lane is H:L, bits 11 and 21; m takes M, bit 20, too.
	return encode3(op, d, n, m) | uint32(lane&1)<<21 | uint32(lane>>1)<<11
}
