package infer

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"imdbexp/runs"
)

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
