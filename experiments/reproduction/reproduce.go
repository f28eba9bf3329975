// Package reproduction answers whether a run comes out again with the same bits, and if
// not, where the first difference is and what else is not as it was.
package reproduction

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/runs"
)

// Result is what came of training a kept run again.
type Result struct {
	Kept, Again *runs.Run   // Again is nil where nothing had to be trained to tell
	Epochs      int         // whole epochs compared
	Same        []Same      // what has the same bits
	Left        []string    // what was not compared, each with why
	Difference  *Difference // the first one, nil where all bits are the same
}

// Same is a file whose content has the same bits in both runs, with how much of it
// was compared.
type Same struct {
	File string
	N    int
	Unit string // what N counts, in the plural
}

// errEnough ends a training when there is nothing left to compare.
var errEnough = errors.New("enough epochs to compare")

// Again compares what a run says that it is with the data and the catalogue at hand. Then
// it trains it again, in the runner's folder (another one than the run's), and compares
// what comes out with what was kept: metrics and entropies line by line while it trains,
// up to the first difference; then the rest. epochs > 0 stops after so many. The plan is plan.Of the
// run's configuration.
func Again(ctx context.Context, r *training.Runner, kept *runs.Run, p *plan.Plan, epochs int, h training.Hooks) (*Result, error) {
	there := kept.Status.Epoch
	if kept.Status.State == runs.Damaged {
		return nil, fmt.Errorf("%s is %s: it cannot be compared with anything", kept.Label(), kept.Status)
	}
	if there == 0 && kept.Status.State != runs.Diverged {
		return nil, fmt.Errorf("%s has no whole epoch yet: there is nothing to compare", kept.Label())
	}
	text, err := kept.MetricsText()
	if err != nil {
		return nil, err
	}
	j, err := r.Job(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("%s saw %s: %w", kept.Label(), seen(&kept.Config), err)
	}
	if err := sameData(kept, j.Config.Digests); err != nil {
		return nil, err
	}
	// The run's own end, such as that of patience, is part of what is compared.
	whole := kept.Status.State != runs.Unfinished && (epochs == 0 || epochs >= there)
	limit := there
	if epochs > 0 {
		limit = min(limit, epochs)
	}
	out := &Result{Kept: kept}
	if out.described(p, &j.Config); out.Difference != nil {
		return out, nil
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lines := splitLines(text)
	again := h
	again.Epoch = func(m runs.Metrics, t runs.Timing) {
		if h.Epoch != nil {
			h.Epoch(m, t)
		}
		out.Epochs = m.Epoch
		now, err := json.Marshal(m)
		switch {
		case err != nil:
			stop(err)
		case m.Epoch > len(lines):
			out.Difference = &Difference{File: runs.MetricsFile, Line: m.Epoch, Kept: "no such line", Now: fmt.Sprintf("epoch %d", m.Epoch)}
		default:
			out.Difference = differentJSON(runs.MetricsFile, m.Epoch, lines[m.Epoch-1], now)
		}
		if out.Difference != nil || !whole && m.Epoch == limit {
			stop(errEnough)
		}
	}
	_, err = r.Run(inner, p, again)
	_, diverged := errors.AsType[*training.DivergedError](err)
	switch {
	case err == nil || diverged:
	case errors.Is(context.Cause(inner), errEnough) && errors.Is(err, inner.Err()):
	default:
		return nil, err
	}
	if out.Again, err = runs.Lookup(r.Dir, &j.Config); err != nil {
		return nil, err
	}
	if out.Difference != nil {
		return out, nil
	}
	return out, out.compare(whole)
}

// compare looks at the folders of both runs. whole says that both have ended.
func (o *Result) compare(whole bool) error {
	if a, b := o.Kept.Status, o.Again.Status; whole && (a.State != b.State || a.Epoch != b.Epoch || a.Message != b.Message) {
		o.Difference = &Difference{File: runs.CheckpointFile(runs.Last), Field: "state", Kept: ended(a), Now: ended(b)}
		return nil
	}
	for _, part := range []func(whole bool) error{
		o.compareMetrics, o.compareEntropies, o.compareTested, o.comparePredictions, o.compareWeights, o.compareChosen, o.compareWords, o.compareIdentity,
	} {
		if err := part(whole); err != nil || o.Difference != nil {
			return err
		}
	}
	return nil
}

func ended(s runs.Status) string { return fmt.Sprintf("%s, epoch %d", s, s.Epoch) }

// seen says what a run was trained on.
func seen(c *runs.Config) string {
	text := fmt.Sprintf("data=%s (%d + %d %s)", c.Data.Name, c.Data.Train.Reviews, c.Data.Test.Reviews, c.Data.Unit())
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		text += fmt.Sprintf(", %s %.12s", k, c.Digests[k])
	}
	return text
}

// sameData checks that what is installed is what the run saw.
func sameData(kept *runs.Run, now map[string]string) error {
	c := &kept.Config
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		if c.Digests[k] == now[k] {
			continue
		}
		what := fmt.Sprintf("%s=%s", k, c.Setting(k))
		return fmt.Errorf("%s was trained on another %s: its content had the digest %.12s, here it has %.12s. "+
			"exp data check tells whether it is as published; the same content has to be installed", kept.Label(), what, c.Digests[k], now[k])
	}
	return nil
}

// splitLines returns the lines of a text without their ends.
func splitLines(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
}
