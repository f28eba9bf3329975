package ops

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"imdbexp/internal/guard"
)

// Pool runs the shards of an op on a fixed number of workers. Results do not depend on which worker runs
// which shard: the shards depend on the data alone, and their parts are added up in shard order.
type Pool struct {
	workers int
	jobs    chan *job
	close   sync.Once
	stopped atomic.Bool // For skips the shards that have not begun
}

type job struct {
	next, left atomic.Int64
	n          int
	pool       *Pool
	run        func(shard int)
	done       chan struct{}
	err        atomic.Pointer[error]
}

// NewPool starts a pool; workers ≤ 0 means one for each CPU. Close ends it.
func NewPool(workers int) *Pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &Pool{workers: workers, jobs: make(chan *job, workers)}
	for range workers - 1 {
		go p.serve()
	}
	return p
}

// eager is how long an idle worker only polls for the next job: longer than most gaps
// between two. Waking a sleeping thread takes some 70 µs, as long as many an op. After that,
// for spinTime it yields the processor between polls.
const eager = 200 * time.Microsecond

func (p *Pool) serve() {
	for {
		var j *job
		var open bool
		if !spin(func() bool {
			select {
			case j, open = <-p.jobs:
				return true
			default:
				return false
			}
		}) {
			j, open = <-p.jobs
		}
		if !open {
			return
		}
		j.work()
	}
}

// spin polls done until it returns true or spinTime ends.
func spin(done func() bool) bool {
	for start := time.Now(); ; {
		for range 100 {
			if done() {
				return true
			}
		}
		switch waited := time.Since(start); {
		case waited > spinTime:
			return false
		case waited > eager:
			runtime.Gosched()
			yield()
		}
	}
}

// Workers returns the number of workers, the caller of For among them.
func (p *Pool) Workers() int { return p.workers }

// Close ends the workers. The pool cannot be used afterwards.
func (p *Pool) Close() { p.close.Do(func() { close(p.jobs) }) }

// Until stops the steps on the pool when ctx has been done for the given time, until release is called.
func (p *Pool) Until(ctx context.Context, after time.Duration) (release func()) {
	released := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ctx.Done():
		case <-released:
			return
		}
		select {
		case <-time.After(after):
			p.stopped.Store(true)
		case <-released:
		}
	})
	return func() {
		close(released)
		watch.Wait() // nothing stops the pool's next steps
		p.stopped.Store(false)
	}
}

// ErrStopped is the error of For on a stopped pool. It wraps context.Canceled.
var ErrStopped = fmt.Errorf("stopped inside a step: %w", context.Canceled)

// For runs f(0) … f(n−1), each once, and waits for all. A panic in f becomes an error.
func (p *Pool) For(n int, f func(shard int)) error {
	if n == 0 {
		return nil
	}
	j := &job{n: n, pool: p, run: f, done: make(chan struct{})}
	j.left.Store(int64(n))
	for range min(p.workers, n) - 1 {
		select {
		case p.jobs <- j:
		default: // every worker is busy, for example with a nested call: run it here
		}
	}
	j.work()
	if !spin(func() bool { return j.left.Load() == 0 }) {
		<-j.done
	}
	if err := j.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (j *job) work() {
	for {
		i := int(j.next.Add(1)) - 1
		if i >= j.n {
			return
		}
		j.one(i)
		if j.left.Add(-1) == 0 {
			close(j.done)
		}
	}
}

func (j *job) one(i int) {
	err := ErrStopped
	if !j.pool.stopped.Load() {
		err = guard.Call(func() error { j.run(i); return nil })
	}
	if err != nil {
		failed := fmt.Errorf("shard %d: %w", i, err)
		j.err.CompareAndSwap(nil, &failed)
	}
}
