package simd

import "math"

// π/4 in three parts of 23, 21 and 53 bits: j·piA and j·piB are exact for j < 2²⁴
// (Moshier, Cephes, sin.c; Cody and Waite 1980).
const (
	piA = 7.85398125648498535156e-1
	piB = 3.77489470793079817668e-8
	piC = 2.69515142907905952645e-15

	// trigMax bounds the arguments whose reduction keeps full accuracy.
	trigMax = 1 << 23
)

// Sin64 returns the sine of x radians with an absolute error of about 2⁻⁵² for
// |x| ≤ 2²³, far beyond any position in a review. Beyond it and for NaN it returns NaN
// rather than an inaccurate value.
func Sin64(x float64) float64 {
	switch y := sine(x, 0); {
	case x == 0:
		return x
	case x < 0:
		return -y
	default:
		return y
	}
}

// Cos64 returns the cosine of x radians with the accuracy and range of Sin64.
func Cos64(x float64) float64 { return sine(x, 2) } // cos|x| = sin(|x| + π/2)

// sine returns sin(|x| + ahead·π/4) for an even ahead. It is reduced to an even octant and z in
// [−π/4, π/4] with |x| = octant·π/4 + z.
func sine(x float64, ahead int) float64 {
	a := math.Abs(x)
	if !(a <= trigMax) {
		return math.NaN()
	}
	j := int(float64(a * (4 / math.Pi)))
	j += j & 1
	f := float64(j)
	z := ((a - float64(f*piA)) - float64(f*piB)) - float64(f*piC)
	octant := j + ahead
	y := sinKernel(z)
	if octant&2 != 0 {
		y = cosKernel(z)
	}
	if octant&4 != 0 {
		y = -y
	}
	return y
}

func sinKernel(z float64) float64 {
	w := float64(z * z)
	p := float64(w*1.58962301576546568060e-10) - 2.50507477628578072866e-8
	p = float64(p*w) + 2.75573136212857245213e-6
	p = float64(p*w) - 1.98412698295895385996e-4
	p = float64(p*w) + 8.33333333332211858878e-3
	p = float64(p*w) - 1.66666666666666307295e-1
	return z + float64(float64(z*w)*p)
}

func cosKernel(z float64) float64 {
	w := float64(z * z)
	p := float64(w*-1.13585365213876817300e-11) + 2.08757008419747316778e-9
	p = float64(p*w) - 2.75573141792967388112e-7
	p = float64(p*w) + 2.48015872888517045348e-5
	p = float64(p*w) - 1.38888888888730564116e-3
	p = float64(p*w) + 4.16666666666665929218e-2
	return 1 - float64(0.5*w) + float64(float64(w*w)*p)
}
