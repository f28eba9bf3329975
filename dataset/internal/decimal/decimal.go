// Package decimal reads float32 numbers as text files of word vectors hold
// them, several times as fast as strconv and with the same result: the float32
// nearest to what is written, ties to even.
package decimal

import (
	"errors"
	"math"
	"strconv"
)

// Errors of Float32.
var (
	ErrSyntax = errors.New("not a number")
	ErrRange  = errors.New("not a finite float32")
)

// Powers of ten that a float32 and a float64 hold exactly.
var (
	exact32 = [...]float32{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}
	exact64 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
)

// Float32 reads the number at the beginning of b: digits with a sign, a point
// and an exponent if need be. n is how many bytes it took; what follows is the
// caller's business. NaN and infinities are errors.
func Float32(b []byte) (v float32, n int, err error) {
	i, negative := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	mantissa, digits, exp := uint64(0), 0, 0
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		i++
	}
	digits = i - first
	if i < len(b) && b[i] == '.' {
		i++
		point := i
		for i < len(b) && b[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			i++
		}
		exp = point - i
		digits -= exp
	}
	if digits == 0 {
		return 0, 0, syntax(b)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		e, m := exponent(b[i+1:])
		if m == 0 {
			return 0, 0, ErrSyntax
		}
		exp += e
		i += 1 + m
	}
	// Up to 19 digits cannot have overflowed the mantissa.
	if digits > 19 || !quick(mantissa, exp, &v) {
		return slow(b[:i])
	}
	if negative {
		v = -v
	}
	return v, i, nil
}

// quick computes mantissa·10^exp where that needs one rounding.
func quick(mantissa uint64, exp int, v *float32) bool {
	// Both exact in float32: one division or product rounds (Clinger 1990).
	if mantissa < 1<<24 && -10 <= exp && exp <= 10 {
		if exp < 0 {
			*v = float32(mantissa) / exact32[-exp]
		} else {
			*v = float32(mantissa) * exact32[exp]
		}
		return true
	}
	if mantissa >= 1<<53 || exp < -22 || exp > 22 {
		return false
	}
	d := float64(mantissa)
	if exp < 0 {
		d /= exact64[-exp]
	} else {
		d *= exact64[exp]
	}
	// Rounded to float64 and again to float32. That differs from rounding once
	// only if the first rounding ended half way between two float32, or among
	// the subnormal ones.
	bits := math.Float64bits(d)
	if bits&(1<<29-1) == 1<<28 || d < 0x1p-126 && d != 0 || d > math.MaxFloat32 {
		return false
	}
	*v = float32(d)
	return true
}

func slow(b []byte) (float32, int, error) {
	v, err := strconv.ParseFloat(string(b), 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, 0, ErrRange
	case err != nil:
		return 0, 0, ErrSyntax
	}
	return float32(v), len(b), nil
}

// exponent reads the digits behind an e; n is 0 if there are none.
func exponent(b []byte) (e, n int) {
	sign := 1
	if n < len(b) && (b[n] == '-' || b[n] == '+') {
		if b[n] == '-' {
			sign = -1
		}
		n++
	}
	first := n
	for n < len(b) && b[n]-'0' <= 9 {
		if e < 10000 {
			e = e*10 + int(b[n]-'0')
		}
		n++
	}
	if n == first {
		return 0, 0
	}
	return sign * e, n
}

// syntax tells a number that is not finite from no number at all.
func syntax(b []byte) error {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) >= 3 {
		switch string([]byte{b[0] | 0x20, b[1] | 0x20, b[2] | 0x20}) {
		case "nan", "inf":
			return ErrRange
		}
	}
	return ErrSyntax
}
