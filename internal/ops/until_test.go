package ops

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Steps stop only when a signal is older than the given time, and those after release never do,
// however close to it the signal came.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const grace = 5 * time.Second
		var p Pool
		ctx, cancel := context.WithCancel(t.Context())
		release := p.Until(ctx, grace)
		time.Sleep(time.Hour)
		cancel()
		time.Sleep(grace - 1)
		require.False(t, p.stopped.Load())
		time.Sleep(2)
		require.True(t, p.stopped.Load())
		release()
		require.False(t, p.stopped.Load())
		for range 1000 {
			ctx, cancel := context.WithCancel(t.Context())
			release := p.Until(ctx, 0)
			cancel()
			release()
			synctest.Wait()
			time.Sleep(1)
			require.False(t, p.stopped.Load())
		}
	})
}

// Stop stops the pool, for tests.
func (p *Pool) Stop() { p.stopped.Store(true) }

// A batch with fewer shards between two with more throws no buffer away.
func TestPartialsKeepTheirBuffers(t *testing.T) {
	var p partials
	p.prepare(3, 5)
	last := &p.bufs[2][0]
	p.prepare(2, 5)
	require.Len(t, p.bufs, 2)
	p.prepare(3, 4)
	require.Len(t, p.bufs, 3)
	require.Same(t, last, &p.bufs[2][0])
}
