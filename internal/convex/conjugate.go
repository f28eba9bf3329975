package convex

import "math"

// conjugate minimises the quadratic model g·s + ½ s·Hs in the trust region by conjugate
// gradients (Steihaug 1983), until the residual is less than a third of the gradient. On
// n-grams of IMDB that takes a fifth to a third fewer products in all than LIBLINEAR's tenth.
// It sets s.step, and returns g·s, s·r with the residual r = −g − Hs, and the number of
// Hessian products.
func (s *Solver) conjugate() (along, rest float64, products int) {
	const enough = 0.3
	f, n := s.f, len(s.gradient)
	clear(s.step)
	left := f.each(n, shardSize, func(from, to int) (sum [2]float64) {
		for i := from; i < to; i++ {
			r := -s.gradient[i]
			s.residual[i], s.direction[i] = r, r
			sum[0] += float64(r * r)
		}
		return sum
	})[0]
	for f.err == nil && math.Sqrt(left) > enough*s.norm {
		bend := f.hessian(s.bent, s.direction)
		products++
		a := left / bend
		sums := s.advance(a)
		if square := s.state.Radius * s.state.Radius; sums[0] > square {
			s.advance(-a)
			s.advance(s.border(square))
			break
		}
		b := sums[1] / left
		left = sums[1]
		f.each(n, shardSize, func(from, to int) (none [2]float64) {
			for i := from; i < to; i++ {
				s.direction[i] = s.residual[i] + float64(b*s.direction[i])
			}
			return none
		})
	}
	return f.dot(s.gradient, s.step), f.dot(s.step, s.residual), products
}

// advance moves by a times the direction and returns s·s and r·r.
func (s *Solver) advance(a float64) [2]float64 {
	return s.f.each(len(s.step), shardSize, func(from, to int) (sum [2]float64) {
		for i := from; i < to; i++ {
			s.step[i] += float64(a * s.direction[i])
			s.residual[i] -= float64(a * s.bent[i])
			sum[0] += float64(s.step[i] * s.step[i])
			sum[1] += float64(s.residual[i] * s.residual[i])
		}
		return sum
	})
}

// border returns the multiple of the direction at which the step has length √square.
func (s *Solver) border(square float64) float64 {
	sd, ss, dd := s.f.dot(s.step, s.direction), s.f.dot(s.step, s.step), s.f.dot(s.direction, s.direction)
	root := math.Sqrt(max(0, float64(sd*sd)+float64(dd*(square-ss))))
	if sd >= 0 {
		return (square - ss) / (sd + root)
	}
	return (root - sd) / dd
}
