package parallel

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// gate lets a run in once its predicted peak fits into the memory that is free
// and not spoken for.
type gate struct {
	free  func() (int64, bool)
	every time.Duration // between two looks at what is free

	mu      sync.Mutex
	changed chan struct{} // closed when a run leaves or has reached its peak
	inside  map[int]claim
}

// claim is the peak of a run inside. Until it has settled, by a whole epoch of
// training and evaluation, it is not all taken yet and does not count as used.
type claim struct {
	need    int64
	settled bool
}

func newGate(free func() (int64, bool)) *gate {
	return &gate{free: free, every: 2 * time.Second, changed: make(chan struct{}), inside: map[int]claim{}}
}

// enter returns when run i may start. waits is called once when it has to wait,
// and when it starts for want of others to wait for: then the prediction may be
// too high, and only the system can tell.
func (g *gate) enter(ctx context.Context, i int, need int64, waits func(free int64, alone bool)) error {
	told := false
	for {
		g.mu.Lock()
		free, known := g.free()
		for _, c := range g.inside {
			if !c.settled {
				free -= c.need
			}
		}
		fits, alone := !known || need <= free, len(g.inside) == 0
		if fits || alone {
			g.inside[i] = claim{need: need}
		}
		changed := g.changed
		g.mu.Unlock()
		if !fits && (alone || !told) {
			waits(max(free, 0), alone)
			told = true
		}
		if fits || alone {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-time.After(g.every): // others may have freed some
		}
	}
}

// settle says that run i has all that it will take.
func (g *gate) settle(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, in := g.inside[i]; in && !c.settled {
		g.inside[i] = claim{c.need, true}
		g.tell()
	}
}

// leave says that run i has ended. What it took goes back to the system first:
// until the collector came by itself, it would count as taken, and the others would
// wait for it.
func (g *gate) leave(i int) {
	debug.FreeOSMemory()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.inside, i)
	g.tell()
}

func (g *gate) tell() {
	close(g.changed)
	g.changed = make(chan struct{})
}
