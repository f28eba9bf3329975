package neon

import (
	"slices"
	"testing"
)

type encoding struct {
	op, assembly string
	got, want    uint32
}

// The words are those of LLVM's assembler: llvm-mc -triple=aarch64 -show-encoding.
var encodings = []encoding{
	{"FADD", "FADD V0.4S, V1.4S, V2.4S", encode3("FADD", 0, 1, 2), 0x4e22d420},
	{"FSUB", "FSUB V31.4S, V30.4S, V29.4S", encode3("FSUB", 31, 30, 29), 0x4ebdd7df},
	{"FMUL", "FMUL V13.4S, V16.4S, V8.4S", encode3("FMUL", 13, 16, 8), 0x6e28de0d},
	{"FDIV", "FDIV V0.4S, V1.4S, V2.4S", encode3("FDIV", 0, 1, 2), 0x6e22fc20},
	{"FMAX", "FMAX V31.4S, V30.4S, V29.4S", encode3("FMAX", 31, 30, 29), 0x4e3df7df},
	{"FMIN", "FMIN V13.4S, V16.4S, V8.4S", encode3("FMIN", 13, 16, 8), 0x4ea8f60d},
	{"FCMEQ", "FCMEQ V0.4S, V1.4S, V2.4S", encode3("FCMEQ", 0, 1, 2), 0x4e22e420},
	{"FCMGE", "FCMGE V31.4S, V30.4S, V29.4S", encode3("FCMGE", 31, 30, 29), 0x6e3de7df},
	{"FCMGT", "FCMGT V13.4S, V16.4S, V8.4S", encode3("FCMGT", 13, 16, 8), 0x6ea8e60d},
	{"FACGT", "FACGT V0.4S, V1.4S, V2.4S", encode3("FACGT", 0, 1, 2), 0x6ea2ec20},
	{"CMHS", "CMHS V31.4S, V30.4S, V29.4S", encode3("CMHS", 31, 30, 29), 0x6ebd3fdf},
	{"MUL", "MUL V13.4S, V16.4S, V8.4S", encode3("MUL", 13, 16, 8), 0x4ea89e0d},
	{"BIC.16B", "BIC V31.16B, V1.16B, V17.16B", encode3("BIC.16B", 31, 1, 17), 0x4e711c3f},
	{"FADD.2D", "FADD V4.2D, V21.2D, V10.2D", encode3("FADD.2D", 4, 21, 10), 0x4e6ad6a4},
	{"FSQRT", "FSQRT V31.4S, V17.4S", encode2("FSQRT", 31, 17), 0x6ea1fa3f},
	{"SCVTF", "SCVTF V5.4S, V30.4S", encode2("SCVTF", 5, 30), 0x4e21dbc5},
	{"FCVTL", "FCVTL V7.2D, V24.2S", encode2("FCVTL", 7, 24), 0x0e617b07},
	{"FCVTL2", "FCVTL2 V24.2D, V7.4S", encode2("FCVTL2", 24, 7), 0x4e6178f8},
	{"NOT.16B", "NOT V9.16B, V18.16B", encode2("NOT.16B", 9, 18), 0x6e205a49},
	{"SSHR", "SSHR V1.4S, V3.4S, #1", encodeShift("SSHR", 1, 3, 1), 0x4f3f0461},
	{"SSHR", "SSHR V23.4S, V3.4S, #23", encodeShift("SSHR", 23, 3, 23), 0x4f290477},
	{"SSHR", "SSHR V31.4S, V3.4S, #31", encodeShift("SSHR", 31, 3, 31), 0x4f21047f},
	{"SSHR", "SSHR V0.4S, V3.4S, #32", encodeShift("SSHR", 0, 3, 32), 0x4f200460},
	{"FMLA.lane", "FMLA V0.4S, V1.4S, V2.S[0]", encodeLane("FMLA.lane", 0, 1, 2, 0), 0x4f821020},
	{"FMLA.lane", "FMLA V31.4S, V30.4S, V29.S[1]", encodeLane("FMLA.lane", 31, 30, 29, 1), 0x4fbd13df},
	{"FMLA.lane", "FMLA V8.4S, V31.4S, V16.S[2]", encodeLane("FMLA.lane", 8, 31, 16, 2), 0x4f901be8},
	{"FMLA.lane", "FMLA V23.4S, V7.4S, V15.S[3]", encodeLane("FMLA.lane", 23, 7, 15, 3), 0x4faf18f7},
}

func TestEncodings(t *testing.T) {
	for _, c := range encodings {
		if c.got != c.want {
			t.Errorf("%s: %#08x, want %#08x", c.assembly, c.got, c.want)
		}
	}
}

// Every instruction that can be emitted is among them.
func TestEveryWordIsTested(t *testing.T) {
	for op := range words {
		if !slices.ContainsFunc(encodings, func(c encoding) bool { return c.op == op }) {
			t.Errorf("no test of %s", op)
		}
	}
}

// What has no encoding must not become a wrong word.
func TestEncodingPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"unknown":  func() { encode3("FABD", 0, 1, 2) },
		"register": func() { encode3("FADD", 0, 32, 2) },
		"shift":    func() { encodeShift("SSHR", 0, 1, 0) },
		"lane":     func() { encodeLane("FMLA.lane", 0, 1, 2, 4) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
