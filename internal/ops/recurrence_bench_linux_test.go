package ops_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"imdbexp/internal/ops"

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
			everyFastLevel(b, fmt.Sprintf("%s/%d", l.name, width), func(b *testing.B) {
				m, data := trainer(b, d, false, l.build)
				n := l.gates * width
				work := float64(data.Words() * 2 * n * (2*d + 3*width))
				shareOf(b, work, 512, width, n, func() { require.NoError(b, m.Run(data, step)) })
			})
		}
	}
}

// share reports the rate of a layer and its share of the kernel's, in turns, of which it takes the
// medians. One run of the layer does work operations, one of the kernel product.
func share(b *testing.B, work, product float64, layer, kernel func()) {
	layer()
	const least = 2e8                            // operations: half a millisecond and more
	times := int(max(work/4, least)/product) + 1 // a quarter of the work
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
