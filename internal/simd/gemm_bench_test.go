package simd_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"imdbexp/internal/simd"
)

// BenchmarkGemm measures the products of the LSTM (N words in one go, one step
// of few reviews, the gradients) and of attention's tiles, on one core.
func BenchmarkGemm(b *testing.B) {
	nn, tn, nt := products[0], products[1], products[2]
	for _, s := range []struct {
		product product
		m, k, n int
	}{
		{nn, 4096, 50, 200}, {nn, 4096, 50, 256}, {nn, 64, 64, 256},
		{nn, 16, 50, 200}, {nn, 8, 50, 200}, {nn, 4, 50, 200}, {nn, 1, 50, 200},
		{nn, 1, 1, 1}, {nn, 8, 200, 50}, {nn, 1, 200, 50}, {nn, 4096, 50, 50}, {nn, 512, 512, 512},
		{tn, 50, 512, 200}, {tn, 50, 4096, 200},
		{nt, 4096, 200, 50}, {nt, 256, 50, 256}, {nn, 256, 50, 256}, {nn, 256, 256, 50},
	} {
		r := rand.New(rand.NewPCG(7, 8))
		ar, ac, br, bc := s.product.sizes(s.m, s.n, s.k)
		x, y := newGemmMatrix(ar, ac, 0, normalValues(r)), newGemmMatrix(br, bc, 0, normalValues(r))
		z := make([]float32, s.m*s.n)
		atEveryLevel(func(l simd.Level) {
			b.Run(fmt.Sprintf("%s/%dx%dx%d/%v", s.product.name, s.m, s.k, s.n, l), func(b *testing.B) {
				for b.Loop() {
					s.product.run(s.m, s.n, s.k, x.view, x.ld, y.view, y.ld, z, s.n, false)
				}
				flops := 2 * float64(s.m) * float64(s.n) * float64(s.k)
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		})
	}
}
