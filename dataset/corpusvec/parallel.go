package corpusvec

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// parallel runs work over [0, n) in pieces on several goroutines. Every worker
// makes its own scratch space by calling setup once. Pieces go to whichever
// worker is free: work must write only to places that its own piece owns.
func parallel(ctx context.Context, n, workers int, setup func() func(lo, hi int)) error {
	const pieces = 64 // small enough that a heavy one leaves no worker idle for long
	size := max(1, (n+pieces-1)/pieces)
	if n <= 64 {
		workers = 1 // not worth a goroutine
	}
	var next atomic.Int64
	var failed atomic.Pointer[error]
	run := func() {
		defer func() {
			if r := recover(); r != nil {
				err := fmt.Errorf("corpusvec: internal error: %v", r)
				failed.Store(&err)
			}
		}()
		work := setup()
		for ctx.Err() == nil && failed.Load() == nil {
			lo := (int(next.Add(1)) - 1) * size
			if lo >= n {
				return
			}
			work(lo, min(n, lo+size))
		}
	}
	var wg sync.WaitGroup
	for range min(workers, pieces) - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}
