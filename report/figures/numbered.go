package figures

import (
	"errors"
	"fmt"
	"strings"

	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// UnknownError is the error of a number without a figure in the published report.
type UnknownError struct{ Number int }

// Numbered returns the published report's figures of these numbers, made from the
// runs: one for each variant that is there. Where one cannot be made the error names
// the command that would train such a run or that shows the figure, as command writes
// its words for people. A number of no figure is an UnknownError.
func (w Smoothed) Numbered(list []*runs.Run, command func(words ...string) string, numbers ...int) ([]canvas.Figure, error) {
	all := w.drawings(list)
	var out []canvas.Figure
	var errs []error
	for _, n := range numbers {
		figures, err := drawNumbered(all, command, n)
		out, errs = append(out, figures...), append(errs, err)
	}
	return out, errors.Join(errs...)
}

func drawNumbered(all []*drawing, command func(words ...string) string, number int) ([]canvas.Figure, error) {
	e, ok := numbered(number)
	switch {
	case !ok:
		return nil, &UnknownError{number}
	case e.kind.one == nil:
		return nil, fmt.Errorf("figure %d (%s) is not made from a run's metrics; try: %s", number, e.title(), command(e.Command...))
	}
	var out []canvas.Figure
	e.each(all, func(d *drawing) bool {
		f, ok := d.figure(e.kind, number)
		if ok {
			out = append(out, f)
		}
		return ok
	})
	if len(out) > 0 {
		return out, nil
	}
	train := command("run", e.Experiment, "optimizer="+e.Optimizer, "variant=original")
	for _, d := range all {
		if e.fits(d) {
			return nil, fmt.Errorf("figure %d (%s): %s has nothing to draw: %s; try: %s", number, e.title(), d.Run.Label(), d.Run.Status, train)
		}
	}
	return nil, fmt.Errorf("figure %d (%s): there is no such run; train it: %s (without variant=original, with our defaults)", number, e.title(), train)
}

// Error tells which numbers there are.
func (e *UnknownError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no figure %d in the published report that runs can show; known are", e.Number)
	for _, p := range Published() {
		fmt.Fprintf(&b, "\n  %2d  %s", p.Number, p.title())
	}
	return b.String()
}
