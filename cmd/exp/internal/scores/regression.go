package scores

import (
	"context"
	"fmt"
	"math"

	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
)

// regression is a weighted least-squares problem: y ≈ z·φ. Its sums have one order, so its results
// have the same bits everywhere.
type regression struct {
	n      int
	z      []float32 // [S, n] 0 or 1
	y      []float64 // [S]
	weight []float64 // [S]; nil: all 1
}

// maxWords is the maximum of n, because the matrix has n² numbers.
const maxWords = 4096

func newRegression(texts, n int) (*regression, error) {
	if n > maxWords {
		return nil, fmt.Errorf("the text has %d words; this score is estimated for at most %d: use a shorter text or another score", n, maxWords)
	}
	return &regression{n: n, z: make([]float32, texts*n)}, nil
}

func (r *regression) at(s int) (z []float32, weight float64) {
	if z = r.z[s*r.n:][:r.n]; r.weight == nil {
		return z, 1
	}
	return z, r.weight[s]
}

// center adds an intercept: it subtracts the weighted means.
func (r *regression) center() {
	sum, y, all := make([]float64, r.n), 0.0, 0.0
	for s := range r.y {
		z, w := r.at(s)
		for j, v := range z {
			sum[j] += float64(w * float64(v))
		}
		y, all = y+float64(w*r.y[s]), all+w
	}
	for s := range r.y {
		r.y[s] -= y / all
		for j, v := range sum {
			r.z[s*r.n+j] -= float32(v / all)
		}
	}
}

// normal returns the inverse of A = Σ w·z·zᵀ [n, n] and b = Σ w·z·y [n].
func (r *regression) normal(ctx context.Context, a *Asker) (inverse, b []float64, err error) {
	n := r.n
	l, b := make([]float64, n*n), make([]float64, n)
	err = a.model.Pool().For(n, func(i int) {
		row := l[i*n:][:i+1]
		for s, y := range r.y {
			z, w := r.at(s)
			if w *= float64(z[i]); w == 0 {
				continue
			}
			b[i] += float64(w * y)
			for j, v := range z[:i+1] {
				row[j] += float64(w * float64(v))
			}
		}
	})
	if err == nil {
		inverse, err = invert(ctx, l, n)
	}
	return inverse, b, err
}

// invert returns the inverse of a symmetric positive definite matrix, by Cholesky's decomposition
// A = LLᵀ. l has its lower triangle, and is overwritten.
func invert(ctx context.Context, l []float64, n int) ([]float64, error) {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := l[i*n:][:n]
		for j := range i + 1 {
			other, sum := l[j*n:][:n], row[j]
			for k := range j {
				sum -= float64(row[k] * other[k])
			}
			switch {
			case j < i:
				row[j] = sum / other[j]
			case !(sum > 1e-9*row[i]):
				return nil, fmt.Errorf("the sampled texts do not distinguish its %d words; use a shorter text", n)
			default:
				row[i] = math.Sqrt(sum)
			}
		}
	}
	out, x := make([]float64, n*n), make([]float64, n)
	for c := range n { // column c of the inverse solves LLᵀx = e_c
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := c; i < n; i++ {
			sum := 0.0
			if i == c {
				sum = 1
			}
			for k := c; k < i; k++ {
				sum -= float64(l[i*n+k] * x[k])
			}
			x[i] = sum / l[i*n+i]
		}
		for i := n - 1; i >= c; i-- { // the rest follows by symmetry
			x[i] /= l[i*n+i]
			for k := c; k < i; k++ {
				x[k] -= float64(l[i*n+k] * x[i])
			}
			out[i*n+c], out[c*n+i] = x[i], x[i]
		}
	}
	return out, nil
}

// product returns the matrix a [n, n] times b [n].
func product(a, b []float64) []float64 {
	out := make([]float64, len(b))
	for i := range out {
		for j, v := range a[i*len(b):][:len(b)] {
			out[i] += float64(v * b[j])
		}
	}
	return out
}

// residuals returns y − z·φ.
func (r *regression) residuals(phi []float64) []float64 {
	out := make([]float64, len(r.y))
	for s, y := range r.y {
		z, _ := r.at(s)
		for j, v := range z {
			y -= float64(phi[j] * float64(v))
		}
		out[s] = y
	}
	return out
}

// within returns half the 95 % intervals of the solution. e is how far each step-th text moves the
// solution along p·z. Variances may be unequal (White 1980; MacKinnon and White 1985, HC1).
func (r *regression) within(p, e []float64, step int) []float64 {
	out := make([]float64, r.n)
	texts := float64(len(e) / step)
	few := texts / max(1, texts-float64(r.n))
	for i := range out {
		row := infer.Float32s(p[i*r.n:][:r.n])
		for s := 0; s < len(e); s += step {
			z, _ := r.at(s)
			by := float64(simd.Dot(row, z)) * e[s]
			out[i] += float64(by * by)
		}
		out[i] = 1.96 * math.Sqrt(few*out[i])
	}
	return out
}
