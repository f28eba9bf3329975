package simd_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
	"imdbexp/internal/testkit/must"
)

func TestRun(t *testing.T) {
	start := time.Now()
	n := must.Get(selftest.Run(100 * time.Millisecond))(t)
	require.Greater(t, n, len(selftest.Kernels)*15*int(selftest.Kinds), "random ones too")
	require.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond)
}

// A kernel that is not the same at every level is found and named.
func TestDifferenceIsFound(t *testing.T) {
	if simd.Best() == simd.Portable {
		t.Skip("there is one level here")
	}
	selftest.Kernels["broken"] = func(e *selftest.Operands, n int) {
		x := e.Vec(n)
		if simd.Current() != simd.Portable && n > 15 {
			x[n-1]++
		}
	}
	defer delete(selftest.Kernels, "broken")
	var d *selftest.Difference
	_, err := selftest.Run(0)
	require.ErrorAs(t, err, &d)
	require.Equal(t, "broken", d.Kernel)
	require.Equal(t, 16, d.N)
	require.ErrorContains(t, err, fmt.Sprintf("broken at level %v differs from portable Go: length 16, plain operands, seed 16", simd.Levels()[1]))
}

// A kernel that is wrong at every level is found by the pinned bits.
func TestPinnedBits(t *testing.T) {
	right := selftest.Kernels["Add"]
	selftest.Kernels["Add"] = func(e *selftest.Operands, n int) { simd.Mul(e.Vec(n), e.Vec(n), e.Vec(n)) }
	defer func() { selftest.Kernels["Add"] = right }()
	require.ErrorContains(t, must.Fail(selftest.Run(0)), "agree with each other but not with the bits that they had")
}

// The operands of a case are what the seed says, whatever ran before.
func TestOperandsRepeat(t *testing.T) {
	for kind := range selftest.Kinds {
		a, b := selftest.New(7, kind), selftest.New(7, kind)
		require.Equal(t, a.Scaled(50, 2), b.Scaled(50, 2)[:50:50])
		require.Equal(t, a.Bits(), b.Bits())
		require.NotEqual(t, a.Bits(), selftest.New(8, kind).Bits())
	}
	require.Equal(t, "wild", selftest.Wild.String())
}
