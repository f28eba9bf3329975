package corpusvec

import (
	"context"
	"sync"
	"sync/atomic"

	"imdbexp/internal/guard"
)

// parallel runs the tasks 0 … n−1 on several goroutines. Each worker calls setup once for its
// scratch space. Tasks go to any free worker, so two tasks must not write to the same place.
func parallel(ctx context.Context, n, workers int, setup func() func(task int)) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() error {
		work := setup()
		for ctx.Err() == nil && failed.Load() == nil {
			task := int(next.Add(1)) - 1
			if task >= n {
				return nil
			}
			work(task)
		}
		return nil
	}
	run := func() {
		if err := guard.Call(work); err != nil {
			failed.Store(&err)
		}
	}
	var wg sync.WaitGroup
	for range min(workers, n) - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}
