package forecast

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/estimate"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/memory"
	"imdbexp/internal/ops"
)

// forecast says what runs would take.
type forecast struct {
	app      *cli.App
	runner   *training.Runner
	rates    estimate.Rates
	memories estimate.Memories
	jobs     int
	close    func() error // ends the workers
	stop     func()       // takes the progress away

	seconds []float64 // of each run that would be trained
	unknown int       // of how many runs that is not known
	own     []int64   // bytes of each run that would be trained
	shared  int64     // bytes of the program with the data that all of them share
}

// expected is what one run would take.
type expected struct {
	id, would string
	words     float64 // seen in all its epochs
	left      int     // epochs to train
	seconds   float64 // for those; negative: not known
	from      string  // how that is known
	memory    int64   // bytes at its peak, with the data
}

// time shows seconds, those that were only tried behind a tilde.
func (e expected) time() string {
	switch {
	case e.left == 0:
		return "–"
	case e.seconds < 0:
		return "unknown"
	case e.from == estimate.FromSteps:
		return "~" + format.Clock(e.seconds)
	}
	return format.Clock(e.seconds)
}

func newForecast(a *cli.App, r *training.Runner, share grid.Jobs, plans int) *forecast {
	jobs, workers := share.Share(grid.Cores(), a.Workers, plans)
	f := &forecast{app: a, jobs: jobs}
	one := *r
	one.Pool = ops.NewPool(workers)
	f.runner = &one
	f.close = func() error {
		err := f.memories.Close()
		one.Pool.Close()
		return err
	}
	f.rates = estimate.Rates{Runner: &one, Workers: workers, Trial: paceTrial, Budget: paceBudget}
	r.Loader.Progress, r.Loader.Vectors, f.stop = progress.Watching(a.IO)
	return f
}

// of returns what a plan would take.
func (f *forecast) of(ctx context.Context, p *plan.Plan) (expected, error) {
	j, err := f.runner.Job(ctx, p)
	if err != nil {
		return expected{}, err
	}
	c := j.Config
	if f.shared == 0 {
		f.shared = taken()
	}
	e := expected{id: c.ID, words: float64(c.Data.Train.Words) * float64(p.Run.Epochs)}
	from := 0
	if e.would, from, err = would(f.app, f.runner, &c); err != nil {
		return e, err
	}
	m, err := f.memories.Of(j)
	if err != nil {
		return e, err
	}
	e.memory = f.shared + m
	if e.left = max(0, p.Run.Epochs-from); e.left == 0 {
		return e, nil
	}
	rate, err := f.rates.Of(ctx, p, &c)
	if err != nil {
		return e, err
	}
	f.own = append(f.own, m)
	if e.from = rate.From; rate.From == "" {
		e.seconds = -1
		f.unknown++
		return e, nil
	}
	e.seconds = rate.Seconds(&c, from)
	f.seconds = append(f.seconds, e.seconds)
	return e, nil
}

// all sums up: runs go side by side, but none is cut in two.
func (f *forecast) all() string {
	if len(f.own) == 0 {
		return "nothing is left to train"
	}
	sum, longest := 0.0, 0.0
	for _, s := range f.seconds {
		sum, longest = sum+s, max(longest, s)
	}
	text := fmt.Sprintf("to train: %s, %d at a time", format.Counted(len(f.own), "run"), f.jobs)
	if len(f.seconds) > 0 {
		text += ", about " + format.Clock(max(longest, sum/float64(f.jobs)))
	}
	if f.unknown > 0 {
		text += fmt.Sprintf(" (and %d of which that is not known)", f.unknown)
	}
	slices.Sort(f.own)
	peak := f.shared
	for _, n := range f.own[max(0, len(f.own)-f.jobs):] {
		peak += n
	}
	text += fmt.Sprintf("; up to %s of memory", format.Bytes(peak))
	if free, ok := memory.Free(); ok {
		text += fmt.Sprintf(", %s is free", format.Bytes(free))
	}
	return text
}

// taken is how much memory this process, which holds the data now, may come to take
// while nothing is trained: what it has from the system and half as much again for
// what the collector leaves to the next round.
func taken() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys-m.HeapReleased) * 3 / 2
}
