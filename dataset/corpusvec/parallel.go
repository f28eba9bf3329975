package corpusvec

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// parallel does the tasks 0 … n−1 on several goroutines. Every worker makes its
// own scratch space by calling setup once. Tasks go to whichever worker is free:
// a task must write only to places of its own.
func parallel(ctx context.Context, n, workers int, setup func() func(task int)) error {
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
			task := int(next.Add(1)) - 1
			if task >= n {
				return
			}
			work(task)
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
