package infer

import (
	"fmt"

	"imdbexp/runs"
)

// NotFiniteError says that the weights of a model contain NaN or infinity.
type NotFiniteError struct {
	Tensor string
	At     int // of its values, from 0
	Value  float32
	Epoch  int
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("value %d of %s after epoch %d is %v: weights that are not finite cannot predict. Train with a smaller learning rate, or with clip",
		e.At, e.Tensor, e.Epoch, e.Value)
}

// finite checks trained weights.
func finite(epoch int, lists ...[]runs.Tensor) error {
	for _, list := range lists {
		for _, t := range list {
			data, _ := t.Data.([]float32)
			if err := finiteValues(epoch, t.Name, data); err != nil {
				return err
			}
		}
	}
	return nil
}

func finiteValues(epoch int, name string, data []float32) error {
	for i, v := range data {
		if v-v != 0 { // NaN or infinite
			return &NotFiniteError{name, i, v, epoch}
		}
	}
	return nil
}
