package ops_test

import (
	"fmt"
	"syscall"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// BenchmarkRecurrentShare measures recurrent layers on frozen words, forwards and backwards,
// in turns with the matrix kernel on 512 rows, on one core. It counts the process's user time,
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
					product := float64(2 * rows * n * width)
					times := int(work/product/4) + 1 // a quarter of the work
					var layer, kernel float64
					for b.Loop() {
						began := userSeconds(b)
						require.NoError(b, m.Run(data, step))
						turn := userSeconds(b)
						for range times {
							simd.NN(rows, n, width, x, width, weights, n, y, n, false)
						}
						layer, kernel = layer+turn-began, kernel+userSeconds(b)-turn
					}
					layer, kernel = float64(b.N)*work/layer/1e9, float64(b.N*times)*product/kernel/1e9
					b.ReportMetric(layer, "GFLOP/s")
					b.ReportMetric(kernel, "kernel-GFLOP/s")
					b.ReportMetric(100*layer/kernel, "%")
				})
			})
		}
	}
}

// userSeconds returns the time that the process has spent outside the system.
func userSeconds(b *testing.B) float64 {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()) / 1e9
}
