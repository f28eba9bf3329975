package simd

import "math"

// SGDStep performs one step of gradient descent as torch.optim.SGD defines it
// (dampening 0, no Nesterov):
//
//	g' = g + weightDecay·w;  v = momentum·v + g';  w = w − lr·v
//
// Without momentum v is nil and w = w − lr·g'. A zero v makes PyTorch's first step.
func SGDStep(w, g, v []float32, lr, momentum, weightDecay float32) {
	checkLen("SGDStep", len(w), len(g))
	if v != nil {
		checkLen("SGDStep", len(w), len(v))
	}
	switch {
	case level == Portable:
		sgdPortable(w, g, v, lr, momentum, weightDecay)
	case v == nil:
		sgdVec(ptr(w), ptr(g), len(w), -lr, weightDecay)
	default:
		sgdMomentumVec(ptr(w), ptr(g), ptr(v), len(w), -lr, weightDecay, momentum)
	}
}

func sgdPortable(w, g, v []float32, lr, momentum, weightDecay float32) {
	for i, x := range w {
		d := fma(weightDecay, x, g[i])
		if v != nil {
			d = fma(momentum, v[i], d)
			v[i] = d
		}
		w[i] = fma(-lr, d, x)
	}
}

// AdamParams are the numbers of one Adam step. They are float64, so 1 − β
// is rounded to float32 once, as in PyTorch.
type AdamParams struct {
	Beta1, Beta2 float64 // decay of the two moments
	Eps          float64 // added to the root of the second moment
	StepSize     float64 // lr / (1 − β₁ᵗ)
	SqrtBias2    float64 // √(1 − β₂ᵗ)
	WeightDecay  float64 // L2 penalty, added to the gradient (Adam)
	Decoupled    float64 // lr · weight decay, taken off the weight (AdamW)
}

// consts returns the numbers that the kernels use, in the order of the
// assembly.
func (p *AdamParams) consts() [8]float32 {
	return [8]float32{
		float32(p.Beta2),
		float32(1 - p.Beta1),
		float32(1 - p.Beta2),
		float32(p.Eps),
		float32(-p.StepSize),
		float32(p.SqrtBias2),
		float32(p.WeightDecay),
		float32(-p.Decoupled),
	}
}

// AdamStep performs one step of Adam (Kingma and Ba 2015) or AdamW (Loshchilov
// and Hutter 2019) as torch.optim defines them:
//
//	g' = g + WeightDecay·w;            w' = w − Decoupled·w
//	m = m + (1−β₁)(g' − m);            v = β₂·v + (1−β₂)g'²
//	w = w' − StepSize · m / (√v/SqrtBias2 + Eps)
//
// m and v are the moments, zero before the first step. The caller computes the
// two bias corrections, once a step.
func AdamStep(w, g, m, v []float32, p AdamParams) {
	checkLen("AdamStep", len(w), len(g), len(m), len(v))
	k := p.consts()
	if level != Portable {
		adamVec(ptr(w), ptr(g), ptr(m), ptr(v), len(w), &k)
	} else {
		adamPortable(w, g, m, v, &k)
	}
}

func adamPortable(w, g, m, v []float32, k *[8]float32) {
	beta2, omBeta1, omBeta2, eps := k[0], k[1], k[2], k[3] // om: one minus
	negStep, sqrtBias2, decay, negDecoupled := k[4], k[5], k[6], k[7]
	for i, x := range w {
		d := fma(decay, x, g[i])
		x = fma(negDecoupled, x, x)
		m1 := fma(omBeta1, d-m[i], m[i])
		v1 := fma(float32(d*d), omBeta2, float32(v[i]*beta2))
		m[i], v[i] = m1, v1
		den := float32(math.Sqrt(float64(v1)))/sqrtBias2 + eps
		w[i] = fma(negStep, m1/den, x)
	}
}

// AdamRows performs AdamStep on some rows of w, m and v [R, d]: row k of g is the
// gradient of row ids[k]. No row may be named twice.
func AdamRows(w, g, m, v []float32, d int, ids []int32, p AdamParams) {
	checkLen("AdamRows", len(w), len(m), len(v))
	checkLen("AdamRows", len(g), len(ids)*d)
	if d <= 0 || len(ids) == 0 {
		return
	}
	checkRows("AdamRows", ids, len(w), d)
	k := p.consts()
	if level != Portable {
		adamRowsVec(ptr(w), ptr(g), ptr(m), ptr(v), d, ptr(ids), len(ids), &k)
	} else {
		for u, i := range ids {
			at := int(i) * d
			adamPortable(w[at:at+d], g[u*d:][:d], m[at:at+d], v[at:at+d], &k)
		}
	}
}
