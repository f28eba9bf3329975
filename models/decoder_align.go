package models

import "imdbexp/internal/ragged"

// align runs the translations of a batch of sources through the graph that learns
// them, all rows at once, and takes the weights from there: they are the ones that
// the search has seen, and most hypotheses of a search are given up.
func (d *Decoder) align(batch *ragged.Batch, part []int, out []Translation) error {
	if d.forced == nil {
		var err error
		if d.forced, err = NewForced(d.spec); err != nil {
			return err
		}
	}
	if d.forced.attends() == 0 {
		return nil
	}
	b := *batch
	b.TargetOffsets = []int{0}
	for _, at := range part {
		b.AddTarget(out[at].Words)
	}
	if err := d.forced.Run(&b); err != nil {
		return err
	}
	for i, at := range part {
		var err error
		if out[at].Looks, err = d.forced.Looks(i); err != nil {
			return err
		}
	}
	return nil
}
