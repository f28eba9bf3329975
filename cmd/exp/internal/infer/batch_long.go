package infer

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"imdbexp/runs"
)

// LongError says that a text has more words than positions were learned for.
type LongError struct {
	Text        int    // its place in the list
	Name        string // "" where it has none
	Words, Most int
}

func (e *LongError) Error() string {
	return fmt.Sprintf("%s: %d words, and positions were learned for %d: cut it, or train with a larger positions.max, with positions=sinusoid, or with data.max_len",
		cmp.Or(e.Name, fmt.Sprintf("text %d", e.Text+1)), e.Words, e.Most)
}

// called gives a LongError the place of its text in the whole list, or its name.
func called(err error, as func(e *LongError)) error {
	if long := new(LongError); errors.As(err, &long) {
		as(long)
		return long
	}
	return err
}

// Named gives a LongError the name of its text.
func Named(err error, names []string) error {
	return called(err, func(e *LongError) { e.Name = names[e.Text] })
}

// longest returns the most words that a model can read, 0 for no limit: [CLS] takes
// one of the positions that were learned.
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
