package reproduction

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"imdbexp/runs"
)

// compareWeights compares the checkpoints of the same epoch: what the optimiser
// moves, what is kept beside, the optimiser's own numbers, and what they say of the best
// epoch so far.
func (o *Result) compareWeights(bool) error {
	for _, which := range []string{runs.Last, runs.Best, runs.Prev} {
		file := runs.CheckpointFile(which)
		kept, err1 := o.Kept.Checkpoint(which)
		again, err2 := o.Again.Checkpoint(which)
		lacks1, lacks2 := errors.Is(err1, fs.ErrNotExist), errors.Is(err2, fs.ErrNotExist)
		switch {
		case lacks1 && lacks2:
			continue // no epoch was chosen, or none is whole
		case which == runs.Prev && (err1 != nil || err2 != nil):
			continue // it may be gone, and counts only where the last one is damaged
		case runs.IsDamage(err1):
			o.Difference = &Difference{File: file, Kept: err1.Error(), Now: "a whole file"}
			return nil
		case lacks1:
			o.Difference = &Difference{File: file, Kept: missing, Now: "a file, after " + moment(again)}
			return nil
		case lacks2:
			o.Difference = &Difference{File: file, Kept: "a file, after " + moment(kept), Now: missing}
			return nil
		}
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if kept.Epoch != again.Epoch || kept.Step != again.Step {
			if which == runs.Prev {
				continue
			}
			o.leave(file, fmt.Sprintf("kept after %s, now after %s", moment(kept), moment(again)))
			continue
		}
		n, d := differentTensors(tensors(kept), tensors(again))
		if d == nil && best(kept) != best(again) {
			d = &Difference{Field: "best epoch", Kept: best(kept), Now: best(again)}
		}
		if d != nil {
			d.File, d.Where = file, fmt.Sprintf("epoch %d", kept.Epoch)
			o.Difference = d
			return nil
		}
		if which != runs.Prev { // of which nothing is told while the last one is whole
			o.same(file, n, "numbers")
		}
	}
	return nil
}

// best says which epoch a checkpoint takes for the best, and why.
func best(c *runs.Checkpoint) string {
	return fmt.Sprintf("%d with score %v, %d epochs ago", c.BestEpoch, c.BestScore, c.Wait)
}

// compareChosen compares which epoch counts, where both runs have come to their end.
func (o *Result) compareChosen(whole bool) error {
	if a, b := o.Kept.ChosenEpoch(), o.Again.ChosenEpoch(); whole && a != b {
		o.Difference = &Difference{File: runs.CheckpointFile(runs.Last), Field: "chosen epoch", Kept: fmt.Sprint(a), Now: fmt.Sprint(b)}
	}
	return nil
}

// compareWords compares which words and vectors the runs have kept, and whether those
// kept are still there. Their name is the digest of their content.
func (o *Result) compareWords(bool) error {
	a, b := o.Kept.Config.Table, o.Again.Config.Table
	if a != b {
		o.Difference = &Difference{File: configFile, Field: "table", Kept: cut(a), Now: cut(b)}
		return nil
	}
	switch err := o.Kept.Words(); {
	case errors.Is(err, fs.ErrNotExist):
		o.leave("words and vectors", err.Error())
	case runs.IsDamage(err):
		o.Difference = &Difference{File: "words and vectors", Kept: err.Error(), Now: "a whole file"}
	case err != nil:
		return err
	}
	return nil
}

// compareIdentity compares what the ID is made of. It comes last: a run of another result
// version shows its numbers first.
func (o *Result) compareIdentity(bool) error {
	a, b := &o.Kept.Config, &o.Again.Config
	switch {
	case a.Result != b.Result:
		o.Difference = &Difference{File: configFile, Field: "result", Kept: fmt.Sprint(a.Result), Now: fmt.Sprint(b.Result)}
	case a.Digest != b.Digest:
		o.Difference = &Difference{File: configFile, Field: "digest", Kept: a.Digest, Now: b.Digest}
	}
	return nil
}

// moment says when a checkpoint was kept.
func moment(c *runs.Checkpoint) string {
	if c.Step > 0 {
		return fmt.Sprintf("step %d of epoch %d", c.Step, c.Epoch+1)
	}
	return fmt.Sprintf("epoch %d", c.Epoch)
}

func tensors(c *runs.Checkpoint) []runs.Tensor { return slices.Concat(c.Params, c.States, c.Optim) }

// differentTensors finds the first element whose bits differ, and counts those
// before it.
func differentTensors(kept, now []runs.Tensor) (n int, d *Difference) {
	for _, a := range kept {
		i := slices.IndexFunc(now, func(b runs.Tensor) bool { return b.Name == a.Name })
		if i < 0 {
			return n, &Difference{Field: a.Name, Kept: array(a), Now: missing}
		}
		b := now[i]
		if array(a) != array(b) {
			return n, &Difference{Field: a.Name, Kept: array(a), Now: array(b)}
		}
		x, y := elementsOf(a.Data), elementsOf(b.Data)
		for i := range min(x.n, y.n) {
			if x.bits(i) != y.bits(i) {
				return n, &Difference{Field: fmt.Sprintf("%s[%d]", a.Name, i), Kept: x.show(i), Now: y.show(i)}
			}
			n++
		}
	}
	for _, b := range now {
		if !slices.ContainsFunc(kept, func(a runs.Tensor) bool { return a.Name == b.Name }) {
			return n, &Difference{Field: b.Name, Kept: missing, Now: array(b)}
		}
	}
	return n, nil
}

// array describes a tensor without its numbers.
func array(t runs.Tensor) string { return fmt.Sprintf("%T of shape %v", t.Data, t.Shape) }

// elements reads an array of a checkpoint.
type elements struct {
	n    int
	bits func(i int) uint64
	show func(i int) string
}

func elementsOf(data any) elements {
	switch x := data.(type) {
	case []float32:
		return elements{len(x), func(i int) uint64 { return uint64(math.Float32bits(x[i])) },
			func(i int) string { return fmt.Sprintf("%g (%08x)", x[i], math.Float32bits(x[i])) }}
	case []float64:
		return elements{len(x), func(i int) uint64 { return math.Float64bits(x[i]) },
			func(i int) string { return fmt.Sprintf("%g (%016x)", x[i], math.Float64bits(x[i])) }}
	case []int64:
		return elements{len(x), func(i int) uint64 { return uint64(x[i]) }, func(i int) string { return fmt.Sprint(x[i]) }}
	case []byte:
		return elements{len(x), func(i int) uint64 { return uint64(x[i]) }, func(i int) string { return fmt.Sprint(x[i]) }}
	}
	return elements{}
}
