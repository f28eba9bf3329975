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
// moves, what is kept beside, and the optimiser's own numbers.
func (o *Result) compareWeights(bool) error {
	for _, which := range []string{runs.Last, runs.Best} {
		file := runs.CheckpointFile(which)
		kept, err1 := o.Kept.Checkpoint(which)
		again, err2 := o.Again.Checkpoint(which)
		if errors.Is(err1, fs.ErrNotExist) && errors.Is(err2, fs.ErrNotExist) {
			continue // no epoch was chosen, or none is whole
		}
		if _, damaged := errors.AsType[*runs.DamagedError](err1); damaged {
			o.leave(file, err1.Error())
			continue
		}
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if kept.Epoch != again.Epoch || kept.Step != again.Step {
			o.leave(file, fmt.Sprintf("kept after %s, now after %s", moment(kept), moment(again)))
			continue
		}
		n, d := differentTensors(tensors(kept), tensors(again))
		if d != nil {
			d.File, d.Where = file, fmt.Sprintf("epoch %d", kept.Epoch)
			o.Difference = d
			return nil
		}
		o.same(file, n, "numbers")
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
