package parallel

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGate(t *testing.T) {
	free, known := int64(100), true
	g := newGate(func() (int64, bool) { return free, known })
	g.every = time.Hour // only what changes inside wakes a waiter
	ctx := context.Background()
	never := func(int64, bool) { t.Error("there is room") }
	require.NoError(t, g.enter(ctx, 0, 60, never))
	require.NoError(t, g.enter(ctx, 1, 40, never))

	waited, entered := make(chan int64, 1), make(chan error, 1)
	go func() {
		entered <- g.enter(ctx, 2, 50, func(free int64, alone bool) {
			require.False(t, alone)
			waited <- free
		})
	}()
	require.EqualValues(t, 0, <-waited, "all is spoken for")
	free = 90
	g.leave(1) // 90 − 60 < 50
	select {
	case <-entered:
		t.Fatal("too early")
	case <-time.After(20 * time.Millisecond):
	}
	g.settle(0) // what run 0 takes is no longer among what is free
	require.NoError(t, <-entered)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, g.enter(canceled, 3, 1000, func(int64, bool) {}), context.Canceled)

	g.leave(0)
	g.leave(2)
	alone := false
	require.NoError(t, g.enter(ctx, 4, 1000, func(_ int64, a bool) { alone = a }))
	require.True(t, alone, "nothing is left to wait for")
	known = false
	require.NoError(t, g.enter(ctx, 5, 1<<60, never), "a system that does not tell")
}

// What a run took is free for the others as soon as it has left.
func TestGateFrees(t *testing.T) {
	taken := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys - m.HeapReleased)
	}
	const size = 64 << 20
	g := newGate(func() (int64, bool) { return 0, false })
	require.NoError(t, g.enter(context.Background(), 0, size, nil))
	used := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		used[i] = 1
	}
	before := taken()
	runtime.KeepAlive(used)
	g.leave(0)
	require.Less(t, taken(), before-size/2)
}
