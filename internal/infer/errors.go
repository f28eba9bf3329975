package infer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"imdbexp/runs"
)

// LookError says that a model or a text does not have the attention that a Look chooses.
type LookError struct{ Message string }

func (e *LookError) Error() string { return e.Message }

// LookErrorf returns a LookError with a formatted message.
func LookErrorf(format string, args ...any) error { return &LookError{fmt.Sprintf(format, args...)} }

// NoGraph is the beginning of an error of a model that counts n-grams.
const NoGraph = "it counts n-grams and has no graph: "

// errTranslates says that a run translates, where one that classifies is needed.
var errTranslates = errors.New("it translates sentences, and this is for runs that classify reviews; use exp predict, exp attend or exp export with it")

// errGuesses says that a run is a language model, where one that classifies is needed.
var errGuesses = errors.New("it is a language model, which guesses words and knows no classes; a classifier can start from it with init=RUN")

// LongError says that a text has more words than the model can read.
type LongError struct {
	Text  int    // index in the list
	Name  string // "" for none
	Words int
	Limit string // what the model can read, and what to do
}

func (e *LongError) Error() string {
	return fmt.Sprintf("%s: %d words, %s", cmp.Or(e.Name, fmt.Sprintf("text %d", e.Text+1)), e.Words, e.Limit)
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

// finite checks trained weights.
func finite(epoch int, lists ...[]runs.Tensor) error {
	for _, t := range slices.Concat(lists...) {
		data, _ := t.Data.([]float32)
		if i := slices.IndexFunc(data, func(v float32) bool { return v-v != 0 }); i >= 0 { // NaN or infinite
			return fmt.Errorf("value %d of %s after epoch %d is %v: weights that are not finite cannot predict. Train with a smaller learning rate, or with clip", i, t.Name, epoch, data[i])
		}
	}
	return nil
}
