package training

import (
	"imdbexp/internal/optim"
	"imdbexp/models"
	"imdbexp/runs"
)

// Names of the optimiser's tensors in a checkpoint: the number of steps, and the raw weights if the
// weights are averaged.
const (
	stepsName    = "steps"
	learningName = "learning"
)

// named returns the trained arrays by name, in the order of the optimiser.
func (t *trainer) named() []*models.Weight {
	list := t.spec.Weights.List()
	if t.vectors != nil {
		list = append(list[:len(list):len(list)], t.vectors.weight())
	}
	return list
}

// save puts weights and optimiser into a checkpoint; memory is shared.
func (t *trainer) save(c *runs.Checkpoint) {
	list := t.named()
	for i, w := range list {
		shape, data := []int{w.Rows, w.Cols}, w.Data
		if t.average != nil {
			c.Optim = append(c.Optim, runs.Tensor{Name: w.Name + "/" + learningName, Shape: shape, Data: data})
			data = t.average.mean[i]
		}
		c.Params = append(c.Params, runs.Tensor{Name: w.Name, Shape: shape, Data: data})
	}
	for _, w := range t.spec.Weights.States() {
		c.States = append(c.States, runs.Tensor{Name: w.Name, Shape: []int{w.Rows, w.Cols}, Data: w.Data})
	}
	if t.ngrams != nil {
		t.ngrams.save(c)
	}
	s := t.solver.State()
	c.Optim = append(c.Optim, runs.Tensor{Name: stepsName, Shape: []int{1}, Data: []int64{s.Steps}})
	for _, slot := range s.Slots {
		w := list[slot.Weight]
		c.Optim = append(c.Optim, runs.Tensor{Name: w.Name + "/" + slot.Name, Shape: []int{w.Rows, w.Cols}, Data: slot.Data})
	}
}

// load restores the weights and running statistics for evaluation: the trainer cannot learn after it.
func (t *trainer) load(c *runs.Checkpoint) error {
	t.average = nil
	if err := models.Fill(t.named(), runs.Matrices(c.Params)); err != nil {
		return err
	}
	return models.Fill(t.spec.Weights.States(), runs.Matrices(c.States))
}

// resume restores weights and optimiser.
func (t *trainer) resume(c *runs.Checkpoint) error {
	mean := t.average
	if err := t.load(c); err != nil {
		return err
	}
	if t.average = mean; mean != nil {
		for i, w := range t.named() {
			learning, err := runs.Numbers[float32](c.Optim, w.Name+"/"+learningName, len(w.Data))
			if err != nil {
				return err
			}
			copy(mean.mean[i], w.Data)
			copy(w.Data, learning)
		}
	}
	if t.ngrams != nil {
		if err := t.ngrams.load(c); err != nil {
			return err
		}
	}
	steps, err := runs.Numbers[int64](c.Optim, stepsName, 1)
	if err != nil {
		return err
	}
	s := optim.State{Steps: steps[0]}
	for i, w := range t.named() {
		for _, name := range t.solver.Slots() {
			data, err := runs.Numbers[float32](c.Optim, w.Name+"/"+name, len(w.Data))
			if err != nil {
				return err
			}
			s.Slots = append(s.Slots, optim.Slot{Weight: i, Name: name, Data: data})
		}
	}
	t.solver.Restore(s)
	return nil
}
