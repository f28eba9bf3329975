package ops_test

import (
	"slices"
	"syscall"
	"testing"

	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// BenchmarkShare measures every op in turns with the matrix kernel, on one core, at each level that
// has kernels. It counts the CPU time of the process, which other load changes little. It reports the
// medians of both rates, and the op's share of the kernel's.
func BenchmarkShare(b *testing.B) {
	for _, o := range benchmarks() {
		everyLevel(b, func(level simd.Level) {
			if level == simd.Portable {
				return
			}
			b.Run(o.name+"/"+level.String(), func(b *testing.B) {
				m := o.start(b)
				rows, k, cols := o.kernel[0], o.kernel[1], o.kernel[2]
				x, y, z := random("rows", rows*k), random("weights", k*cols), make([]float32, rows*cols)
				product := 2 * float64(rows*k*cols)
				const atLeast = 2e8                              // operations: half a millisecond and more
				times := int(max(o.work/4, atLeast)/product) + 1 // a quarter of the work
				var ours, its []float64
				for b.Loop() {
					began := cpuSeconds(b)
					require.NoError(b, m.Run(o.data, step))
					turn := cpuSeconds(b)
					for range times {
						simd.NN(rows, cols, k, x, k, y, cols, z, cols, false)
					}
					ours, its = append(ours, o.work/(turn-began)/1e9), append(its, float64(times)*product/(cpuSeconds(b)-turn)/1e9)
				}
				slices.Sort(ours)
				slices.Sort(its)
				rate, kernel := ours[len(ours)/2], its[len(its)/2]
				b.ReportMetric(rate, "GFLOP/s")
				b.ReportMetric(kernel, "kernel-GFLOP/s")
				b.ReportMetric(100*rate/kernel, "%")
			})
		})
	}
}

// cpuSeconds returns the CPU time of the process, user and system.
func cpuSeconds(b *testing.B) float64 {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
