package ops_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// everyLevel calls f at each SIMD level that this CPU and build have.
func everyLevel(t testing.TB, f func(simd.Level)) {
	old := simd.Current()
	defer func() { require.NoError(t, simd.Use(old)) }()
	for _, l := range simd.Levels() {
		require.NoError(t, simd.Use(l))
		f(l)
	}
}

// wideCases are ops at widths that no vector length divides.
var wideCases = []opCase{
	linearCase("linear, wide", input{onWords, 0, 37}, 19, true),
	attendCase("attend, wide", input{onReviews, 0, 50}, 50, 1, ops.Softmax),
	lstmCase("lstm, wide", 21, 17, false),
	gruCase("gru, wide", 21, 17, false),
	rnnCase("rnn, wide", 21, 17, false),
	layerNormCase("layer norm, wide", input{onWords, 0, 50}, 1e-5),
	mapCase("gelu, wide", input{onWords, 0, 33}, ops.GELU, refGELU),
}

// Results and gradients have the same bits at every SIMD level and for any
// number of workers, and again when the same machine runs again. Only the widest level has
// several numbers of workers, because these do not depend on the level. Unless there is time,
// the levels are compared on a smaller batch of several shards: an op differs
// between levels only by its kernels, which package simd compares at every length.
func TestSameBits(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { sameBits(t, c, c.longTail(sizes(9000, 2500, 2500))) })
	}
	for _, c := range wideCases[:sizes(len(wideCases), len(wideCases), 0)] {
		t.Run(c.name, func(t *testing.T) { sameBits(t, c, longTail(2500)) })
	}
}

func sameBits(t *testing.T, c opCase, b *ragged.Batch) {
	var n *circuit
	bits := func(b *ragged.Batch, workers int) []uint32 {
		n = assemble(t, c, newPool(t, workers), all)
		n.run(t, b)
		return n.bits()
	}
	want := bits(b, 1)
	for _, workers := range []int{2, 4, 7}[sizes(0, 2, 2):] {
		requireBits(t, want, bits(b, workers), "%d workers", workers)
	}
	n.run(t, b)
	requireBits(t, want, n.bits(), "again")
	if !long() && !c.is("pairs") { // whose batch is small
		b, want = batch(130, 1, 129, 128, 70, 60, 20), nil
	}
	everyLevel(t, func(l simd.Level) {
		if l == simd.Best() && want != nil {
			return
		}
		got := bits(b, 7)
		if want == nil {
			want = got
		}
		requireBits(t, want, got, "%v", l)
	})
}

// A reused graph gives the same bits for each batch as a new graph, also after batches that
// were larger, smaller, or had one review or one word.
func TestChangingBatches(t *testing.T) {
	pool := newPool(t, 2)
	for _, c := range cases {
		batches := []*ragged.Batch{
			batch(9, 6, 4), batch(1), c.longTail(sizes(5000, 2500, 2500)), batch(9, 6, 4), batch(1, 1, 1, 1, 1, 1, 1), batch(600, 3), batch(2, 7),
		}
		t.Run(c.name, func(t *testing.T) {
			n := assemble(t, c, pool, all)
			n.run(t, batches[0])
			first := n.bits() // of a new graph
			for i, b := range batches[1:] {
				n.run(t, b)
				want := first
				if !reflect.DeepEqual(b, batches[0]) {
					fresh := assemble(t, c, pool, all)
					fresh.run(t, b)
					want = fresh.bits()
				}
				requireBits(t, want, n.bits(), "batch %d", i+1)
			}
		})
	}
}

// A graph without gradients gives the results of one with them.
func TestForwardOnly(t *testing.T) {
	pool := newPool(t, 2)
	for _, c := range append(cases, wideCases[:sizes(len(wideCases), len(wideCases), 0)]...) {
		t.Run(c.name, func(t *testing.T) {
			if c.differsInTraining() {
				return
			}
			training, forward := assemble(t, c, pool, all), assemble(t, c, pool, wiring{results: all.results, untrained: true})
			for _, b := range []*ragged.Batch{batch(9, 6, 4, 2, 1), batch(1), c.longTail(sizes(9000, 2500, 2500)), batch(3, 1)} {
				training.run(t, b)
				forward.run(t, b)
				requireBits(t, training.bits()[:forward.count()], forward.bits(), "of %d words", b.Words())
			}
		})
	}
}

// The position of a review in a batch and the other reviews change no bit of
// its results, so runs with different batch sizes are comparable.
func TestReviewsAreIndependent(t *testing.T) {
	pool := newPool(t, 2)
	for _, c := range cases {
		if c.mixesReviews() {
			continue
		}
		long := c.longTail(sizes(9000, 2500, 2500))
		t.Run(c.name, func(t *testing.T) {
			together, single := assemble(t, c, pool, all), assemble(t, c, pool, all)
			together.run(t, long)
			for _, r := range []int{0, 3, long.Len() - 1} {
				b := only(long, r)
				single.set(b)
				for i, x := range single.in {
					from := c.inputs[i].part(together.in[i].Mat(), long, r)
					x.Set(ops.Mat{Rows: len(from) / x.Cols(), Cols: x.Cols(), Data: from})
				}
				require.NoError(t, single.machine.Run(b, step))
				for i, y := range single.out {
					spec := input{cols: y.Cols()}
					switch y.Axis() {
					case single.g.Words():
						spec.axis = onWords
					case single.g.Words().Reviews():
						spec.axis = onReviews
					case single.g.TargetsIfAny():
						spec.axis = onTargets
					default:
						continue
					}
					require.Equal(t, spec.part(together.out[i].Mat(), long, r), y.Mat().Data, "result %d of review %d", i, r)
				}
			}
		})
	}
}

// part returns the rows of m that belong to review r of a batch.
func (i input) part(m ops.Mat, b *ragged.Batch, r int) []float32 {
	lo, hi := b.Offsets[r], b.Offsets[r+1]
	switch i.axis {
	case onWords:
		return m.Range(lo, hi)
	case onFronted:
		return m.Range(lo+r, hi+r+1)
	case onTargets:
		return m.Range(b.TargetOffsets[r], b.TargetOffsets[r+1])
	case onPast:
		return m.Range(b.PastOffsets[r], b.PastOffsets[r+1])
	case onReviews:
		return m.Row(r)
	}
	return m.Data
}

// differsInTraining tells whether the op does something else outside training:
// no dropout, no smoothing, running statistics.
func (c opCase) differsInTraining() bool {
	return c.is("dropout", "smoothed", "weighted cross", "batch norm", "pairs: smoothed")
}

// mixesReviews tells whether the op's results for a review depend on the others.
func (c opCase) mixesReviews() bool {
	return c.is("batch norm", "slot norm", "padded", "guess", "hide")
}

// is tells whether the name of the case begins so.
func (c opCase) is(prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(c.name, p) })
}

// bits returns the bits of the cost, the results and the gradients, in this order.
func (n *circuit) bits() []uint32 { return bitsOf(n.mats()...) }

// bitsOf returns the bits of matrices, one after the other.
func bitsOf(mats ...ops.Mat) (out []uint32) {
	for _, m := range mats {
		out = slices.Grow(out, m.Rows*m.Cols)
		for _, v := range m.Data[:m.Rows*m.Cols] {
			out = append(out, math.Float32bits(v))
		}
	}
	return out
}

func (n *circuit) mats() []ops.Mat {
	out := []ops.Mat{n.cost.Mat()}
	for _, y := range n.out {
		out = append(out, y.Mat())
	}
	for _, g := range n.grads {
		if g != nil {
			out = append(out, g())
		}
	}
	return out
}

// count returns how many numbers the cost and the results have.
func (n *circuit) count() int {
	count := 1
	for _, y := range n.out {
		count += len(y.Mat().Data)
	}
	return count
}

// requireBits is require.Equal without printing a megabyte.
func requireBits(t testing.TB, want, got []uint32, format string, args ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		if got[i] != w {
			require.Failf(t, "bits differ", "%s: element %d is %v, not %v", fmt.Sprintf(format, args...), i,
				math.Float32frombits(got[i]), math.Float32frombits(w))
		}
	}
}

// requireNear is require.InDeltaSlice, which takes a microsecond for each element.
func requireNear[W, G float32 | float64](t require.TestingT, want []W, got []G, delta float64, format string, args ...any) {
	require.Len(t, got, len(want))
	for i, w := range want {
		if d := float64(w) - float64(got[i]); !(math.Abs(d) <= delta) {
			require.Failf(t, "too far apart", "%s: element %d is %v, not %v", fmt.Sprintf(format, args...), i, got[i], w)
		}
	}
}

// A run allocates a few headers for each op, whatever the number of words or
// reviews.
func TestNoGarbagePerWord(t *testing.T) {
	countsAllocations(t)
	// Each is cut into three shards.
	few, many := slices.Repeat([]int{130}, 6), slices.Repeat([]int{39}, 60)
	pool := newPool(t, 1)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := assemble(t, c, pool, all)
			count := func(b *ragged.Batch) float64 {
				n.run(t, b) // makes the buffers
				return testing.AllocsPerRun(3, func() {
					if err := n.machine.Run(b, step); err != nil {
						t.Error(err)
					}
				})
			}
			require.LessOrEqual(t, count(batch(many...)), count(batch(few...))+8, "three times as many words, ten times as many reviews")
		})
	}
}

// countsAllocations skips a test where counts say nothing: portable kernels are slow
// and allocate as much as the others; the race detector keeps the compiler from
// inlining, so that closures are allocated which otherwise are not.
func countsAllocations(t *testing.T) {
	t.Helper()
	if simd.Best() == simd.Portable || raceDetector {
		t.Skip("allocations are counted with assembly and without the race detector")
	}
}
