package infer

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"imdbexp/runs"
)

// LookError says that a model or a text does not have the attention that a Look chooses.
type LookError struct{ Message string }

func (e *LookError) Error() string { return e.Message }

// LookErrorf returns a LookError with a formatted message.
func LookErrorf(format string, args ...any) error { return &LookError{fmt.Sprintf(format, args...)} }

// NoGraphError says that a bag-of-n-grams model has no graph, so that something is missing.
type NoGraphError struct{ What string }

func (e *NoGraphError) Error() string {
	return "it counts n-grams and has no graph: " + e.What
}

// TranslatesError says that a run translates, where one that classifies is needed.
type TranslatesError struct{ Label string }

func (e *TranslatesError) Error() string {
	return e.Label + " translates sentences, and this is for runs that classify reviews; use exp predict, exp attend or exp export with it"
}

// MissingReviewError says that a run's data have no review of that ID.
type MissingReviewError struct{ ID, Data, hint string }

func (e *MissingReviewError) Error() string {
	return fmt.Sprintf("review %s is not in %s%s", e.ID, e.Data, e.hint)
}

// LongError says that a text has more words than the model has learned positions.
type LongError struct {
	Text        int    // index in the list
	Name        string // "" for none
	Words, Most int
}

func (e *LongError) Error() string {
	return fmt.Sprintf("%s: %d words, and positions were learned for %d: cut it, or train with a larger positions.max, with positions=sinusoid, or with data.max_len",
		cmp.Or(e.Name, fmt.Sprintf("text %d", e.Text+1)), e.Words, e.Most)
}

// called completes a LongError with the index or the name of its text.
func called(err error, as func(e *LongError)) error {
	if long := new(LongError); errors.As(err, &long) {
		as(long)
		return long
	}
	return err
}

// Named adds the name of its text to a LongError.
func Named(err error, names []string) error {
	return called(err, func(e *LongError) { e.Name = names[e.Text] })
}

// longest returns the maximum number of words of a text, 0 for no limit. [CLS] takes one of the
// learned positions.
func longest(c *runs.Config) int {
	most, err := strconv.Atoi(c.Setting("positions.max"))
	if err != nil || c.Setting("positions") != "learned" {
		return 0
	}
	if c.Setting("pool") == "cls" {
		most--
	}
	return most
}

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
