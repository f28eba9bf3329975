package figures

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/report/picture"
	"imdbexp/runs"
)

// headsKind is no figure of the published report: entropies of each layer and head.
const headsKind = entropiesKind + 1

// String returns what the figure shows, for its title.
func (k kind) String() string {
	return [...]string{"loss and accuracy", "entropy of the attention", "entropy of the attention by layer and head"}[k]
}

// elsewhere are the figures of the published report that are not made from a
// run's metrics, with the words of the command that shows them.
var elsewhere = []struct {
	number int
	shows  string
	words  []string
}{
	{1, "drawing of the mean model", []string{"show", "tme9-mean"}},
	{5, "the words of a review with the largest attention", []string{"attend", "tme9-simple"}},
	{6, "drawing of query, keys and values", []string{"show", "tme9-values"}},
	{18, "dot products between the embeddings of a review, with positions", []string{"draw", "dots", "tme10-pe"}},
}

// Numbers returns the numbers of the published report's figures that
// Numbered makes from runs, rising.
func Numbers() []int {
	var out []int
	for _, p := range publishedFigures {
		out = append(out, p.number)
	}
	return out
}

// Title returns what a figure of the published report shows, such as "loss
// and accuracy of tme9-lstm, sgd"; "" for a number that is none.
func Title(number int) string {
	for _, p := range publishedFigures {
		if p.number == number {
			return fmt.Sprintf("%s of %s, %s", p.kind, p.experiment, p.optimizer)
		}
	}
	for _, e := range elsewhere {
		if e.number == number {
			return e.shows
		}
	}
	return ""
}

// UnknownError is a number of which the published report has no figure.
type UnknownError struct{ Number int }

// Numbered returns the published report's figures of these numbers, made from the
// runs: one for each variant that is there. Where one cannot be made the error names
// the command that would train such a run or that shows the figure, as command writes
// its words for people. A number of no figure is an UnknownError.
func Numbered(list []*runs.Run, command func(words ...string) string, numbers ...int) ([]picture.Figure, error) {
	all := drawings(list)
	var out []picture.Figure
	var errs []error
	for _, n := range numbers {
		figures, err := numbered(all, command, n)
		out, errs = append(out, figures...), append(errs, err)
	}
	return out, errors.Join(errs...)
}

func numbered(all []*drawing, command func(words ...string) string, number int) ([]picture.Figure, error) {
	for _, e := range elsewhere {
		if e.number == number {
			return nil, fmt.Errorf("figure %d (%s) is not made from a run's metrics; try: %s", number, e.shows, command(e.words...))
		}
	}
	i := slices.IndexFunc(publishedFigures, func(p publishedFigure) bool { return p.number == number })
	if i < 0 {
		return nil, &UnknownError{number}
	}
	p := publishedFigures[i]
	var out []picture.Figure
	p.each(all, func(d *drawing) bool {
		f, ok := d.figure(p.kind, number)
		if ok {
			out = append(out, f)
		}
		return ok
	})
	if len(out) > 0 {
		return out, nil
	}
	train := command("run", p.experiment, "optimizer="+p.optimizer, "variant=original")
	for _, d := range all {
		if p.fits(d) {
			return nil, fmt.Errorf("figure %d (%s): %s has nothing to draw: %s; try: %s", number, Title(number), d.Run.Label(), d.Run.Status, train)
		}
	}
	return nil, fmt.Errorf("figure %d (%s): there is no such run; train it: %s (without variant=original, with our defaults)", number, Title(number), train)
}

// Error tells which numbers there are.
func (e *UnknownError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no figure %d in the published report that runs can show; known are", e.Number)
	numbers := Numbers()
	for _, e := range elsewhere {
		numbers = append(numbers, e.number)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		fmt.Fprintf(&b, "\n  %2d  %s", n, Title(n))
	}
	return b.String()
}
