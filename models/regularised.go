package models

import "imdbexp/internal/ops"

// Regularised is what keeps a recurrent network from learning its reviews by heart.
// What is dropped is drawn for each element of each word (Srivastava et al. 2014).
type Regularised struct {
	InputDrop float64 `key:"input.dropout" min:"0" max:"0.95" help:"share of the words' vectors dropped"`
	StateDrop float64 `key:"state.dropout" min:"0" max:"0.95" help:"share of the states dropped, behind the recurrence"`
	Smoothing float64 `key:"label_smoothing" min:"0" max:"0.9" help:"share of the target that goes to all classes alike, in training"`
}

func (r *Regularised) input(x *ops.Node) *ops.Node {
	return ops.Dropout(x, "input", float32(r.InputDrop))
}

func (r *Regularised) states(h *ops.Node) *ops.Node {
	return ops.Dropout(h, "states", float32(r.StateDrop))
}
