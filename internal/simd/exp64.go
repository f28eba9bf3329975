package simd

import "math"

// The float64 functions are for position encodings, learning-rate schedules and
// initial weights, because package math gives different bits on
// different CPUs. Every product in a sum is rounded by an explicit
// conversion, which prevents the compiler from fusing them.
const (
	ln2Hi64 = 6.93147180369123816490e-01
	ln2Lo64 = 1.90821492927058770002e-10
)

// Exp64 returns eˣ with an error below 1 ulp for normal results; results below
// the smallest normal number are rounded a second time (FreeBSD msun, e_exp.c).
func Exp64(x float64) float64 {
	const (
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02

		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	switch {
	case x != x:
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	k := math.Floor(float64(math.Log2E*x) + 0.5)
	hi := x - float64(k*ln2Hi64)
	lo := float64(k * ln2Lo64)
	r := hi - lo
	t := float64(r * r)
	p := float64(t*p5) + p4
	p = float64(t*p) + p3
	p = float64(t*p) + p2
	p = float64(t*p) + p1
	c := r - float64(t*p)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return math.Ldexp(y, int(k))
}

// Log64 returns the natural logarithm of x with an error below 1 ulp: −Inf for
// ±0, NaN for x < 0 (FreeBSD msun, e_log.c).
func Log64(x float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860510658591e-01
	)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	f := m - 1
	k := float64(e)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t := float64(s4*l7) + l5
	t = float64(s4*t) + l3
	t = float64(s4*t) + l1
	u := float64(s4*l6) + l4
	u = float64(s4*u) + l2
	r := float64(s2*t) + float64(s4*u)
	h := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi64) - ((h - (float64(s*(h+r)) + float64(k*ln2Lo64))) - f)
}

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
