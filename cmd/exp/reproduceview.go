package main

import (
	"fmt"
	"strings"

	"imdbexp/experiments/reproduction"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// kept says what is about to be trained again.
func (a *app) kept(run *runs.Run) string {
	text := fmt.Sprintf("%s: %s, epoch %d of %d", run.Label(), run.Status.State, run.Status.Epoch, run.Status.Epochs)
	if times, err := run.Timing(); err == nil && len(times) > 0 {
		var seconds float64
		for _, t := range times {
			seconds += t.Seconds
		}
		text += ", trained in " + clock(seconds)
	}
	return text
}

// otherVersion warns of a run whose numbers are of another result version.
func (a *app) otherVersion(c *runs.Config) {
	if c.Behind() != 0 {
		a.warn(fmt.Errorf("the run is of result version %d, this program makes %d of its settings: other numbers are to be expected", c.Result, runs.PresentVersion(c.Setting)))
	}
}

// reproduced shows what came of it.
func (a *app) reproduced(out *reproduction.Result) error {
	var same []string
	for _, s := range out.Same {
		unit := s.Unit
		if s.N == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		same = append(same, fmt.Sprintf("%s (%s %s)", s.File, thousands(s.N), unit))
	}
	verdict := a.io.Paint(term.Bold, "same bits") + ": " + strings.Join(same, ", ")
	if out.Difference != nil {
		verdict = a.io.Paint(term.Bold, "not the same bits") + ": " + out.Difference.String()
	}
	a.printf("%s\n", a.wrap(verdict, "", "  "))
	if out.Difference == nil && len(out.Left) > 0 {
		a.printf("%s\n", a.wrap("not compared: "+strings.Join(out.Left, "; "), "", "  "))
	}
	changes, err := reproduction.Changes(out.Kept, out.Again)
	if err != nil {
		a.warn(fmt.Errorf("what has changed since is not known: %w", err))
	}
	if err := a.changes(changes, err == nil && out.Difference != nil); err != nil {
		return err
	}
	if out.Difference != nil {
		return fmt.Errorf("%s does not come out the same", out.Kept.Label())
	}
	a.cite(out.Kept, "")
	return nil
}

// changes lists what is not as it was; blame says that something must be.
func (a *app) changes(list []reproduction.Change, blame bool) error {
	if len(list) == 0 {
		if blame {
			a.printf("%s\n", a.wrap("versions, settings, data and machine are as they were: "+a.command("doctor")+" checks the machine", "", "  "))
		}
		return nil
	}
	t := term.NewTable(term.Column{Head: "not as it was"}, term.Column{Head: "then"}, term.Column{Head: "now"})
	for _, c := range list {
		t.Add(c.What, c.Kept, c.Now)
	}
	return t.Text(a.io, "  ")
}
