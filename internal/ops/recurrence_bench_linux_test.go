package ops_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// BenchmarkRecurrentShare measures recurrent layers on frozen words, forwards and backwards,
// in turns with the matrix kernel on 512 rows, on one core. It counts the time of the process,
// so that others at work on the machine show as little as can be.
func BenchmarkRecurrentShare(b *testing.B) {
	for _, width := range []int{50, 100, 200, 300} {
		layers := []struct {
			name  string
			gates int
			build func(x *ops.Node, w weightOf) *ops.Node
		}{
			{"LSTM", 4, func(x *ops.Node, w weightOf) *ops.Node {
				states, _ := ops.LSTM(x, w(d, 4*width), w(width, 4*width), w(1, 4*width), false)
				return states
			}},
			{"GRU", 3, func(x *ops.Node, w weightOf) *ops.Node {
				states, _ := ops.GRU(x, w(d, 3*width), w(width, 3*width), w(1, 3*width), w(1, 3*width), false)
				return states
			}},
		}
		for _, l := range layers {
			everyLevel(b, func(level simd.Level) {
				if level == simd.Portable {
					return
				}
				b.Run(fmt.Sprintf("%s/%d/%v", l.name, width, level), func(b *testing.B) {
					m, data := trainer(b, d, false, l.build)
					const rows = 512
					n := l.gates * width
					x, weights, y := random("rows", rows*width), random("weights", width*n), make([]float32, rows*n)
					work := float64(data.Words() * 2 * n * (2*d + 3*width))
					share(b, work, 2*float64(rows*n*width),
						func() { require.NoError(b, m.Run(data, step)) },
						func() { simd.NN(rows, n, width, x, width, weights, n, y, n, false) })
				})
			})
		}
	}
}

// share reports the rate of a layer and its share of the kernel's, in turns, of which it takes the
// medians. One run of the layer does work operations, one of the kernel product.
func share(b *testing.B, work, product float64, layer, kernel func()) {
	layer()
	times := int(work/product/4) + 1 // a quarter of the work
	var ours, its []float64
	for b.Loop() {
		began := cpuSeconds(b)
		layer()
		turn := cpuSeconds(b)
		for range times {
			kernel()
		}
		ours, its = append(ours, work/(turn-began)/1e9), append(its, float64(times)*product/(cpuSeconds(b)-turn)/1e9)
	}
	slices.Sort(ours)
	slices.Sort(its)
	rate, most := ours[len(ours)/2], its[len(its)/2]
	b.ReportMetric(rate, "GFLOP/s")
	b.ReportMetric(most, "kernel-GFLOP/s")
	b.ReportMetric(100*rate/most, "%")
}

// cpuSeconds returns the time that the process has spent. What of it is the system's the kernel
// guesses from where it finds the process at a tick; the sum it knows.
func cpuSeconds(b *testing.B) float64 {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
