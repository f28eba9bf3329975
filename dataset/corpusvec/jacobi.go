package corpusvec

import "math"

// jacobi returns the eigenvalues [k] and, in columns, the eigenvectors [k, k] of
// the symmetric matrix a [k, k], which it destroys: cyclic Jacobi rotations as
// in Golub and Van Loan, Matrix Computations, §8.5.
func jacobi(a []float64, k int) (values, vectors []float64) {
	for i := range k { // rounding left a almost symmetric
		for j := range i {
			v := (a[i*k+j] + a[j*k+i]) / 2
			a[i*k+j], a[j*k+i] = v, v
		}
	}
	// Rows of v are the eigenvectors until the end: rows are contiguous.
	v := make([]float64, k*k)
	var norm float64
	for i := range k {
		v[i*k+i] = 1
		norm += squares(a[i*k : (i+1)*k])
	}
	const maxSweeps = 60 // ten or so suffice
	for range maxSweeps {
		var off float64
		for i := range k {
			off += squares(a[i*k : i*k+i])
		}
		if off <= 1e-26*norm {
			break
		}
		for p := range k {
			for q := p + 1; q < k; q++ {
				rotate(a, v, k, p, q)
			}
		}
	}
	values, vectors = make([]float64, k), make([]float64, k*k)
	for i := range k {
		values[i] = a[i*k+i]
		for j := range k {
			vectors[j*k+i] = v[i*k+j]
		}
	}
	return values, vectors
}

// rotate makes a[p,q] zero by rotating rows and columns p and q.
func rotate(a, v []float64, k, p, q int) {
	apq := a[p*k+q]
	if apq == 0 {
		return
	}
	theta := (a[q*k+q] - a[p*k+p]) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := float64(t * c)
	turn(a[p*k:(p+1)*k], a[q*k:(q+1)*k], c, s)
	for i := range k {
		x, y := a[i*k+p], a[i*k+q]
		a[i*k+p], a[i*k+q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	a[p*k+q], a[q*k+p] = 0, 0
	turn(v[p*k:(p+1)*k], v[q*k:(q+1)*k], c, s)
}

func turn(p, q []float64, c, s float64) {
	for i, x := range p {
		y := q[i]
		p[i], q[i] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

func squares(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}
