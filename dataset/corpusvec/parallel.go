package corpusvec

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"imdbexp/internal/guard"
)

// parallel runs the tasks 0 … n−1 on several goroutines. Each worker calls setup once for its
// scratch space. Tasks go to any free worker, so two tasks must not write to the same place.
func parallel(ctx context.Context, n, workers int, setup func() func(task int)) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(workers, n) {
		g.Go(guard.Func(func() error {
			work := setup()
			for task := int(next.Add(1)) - 1; task < n; task = int(next.Add(1)) - 1 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				work(task)
			}
			return nil
		}))
	}
	return g.Wait()
}
