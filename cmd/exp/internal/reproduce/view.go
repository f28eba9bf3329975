package reproduce

import (
	"fmt"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/outcome"
	"imdbexp/experiments/reproduction"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// announce says what is about to be trained again.
func announce(run *runs.Run) string {
	text := fmt.Sprintf("%s: %s, epoch %d of %d", run.Label(), run.Status.State, run.Status.Epoch, run.Status.Epochs)
	if run.Converged() {
		text = fmt.Sprintf("%s: %s, converged after epoch %d", run.Label(), run.Status.State, run.Status.Epoch)
	}
	if took := outcome.Took(run); took != "" {
		text += ", trained in " + took
	}
	return text
}

// otherVersion warns of a run whose numbers are of another result version.
func otherVersion(a *cli.App, c *runs.Config) {
	if c.Behind() != 0 {
		a.Warn(fmt.Errorf("the run is of result version %d, this program makes %d of its settings: other numbers are to be expected", c.Result, runs.PresentVersion(c.Setting)))
	}
}

// verdict shows what came of it.
func verdict(a *cli.App, out *reproduction.Result) error {
	var same []string
	for _, s := range out.Same {
		unit := s.Unit
		if s.N == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		same = append(same, fmt.Sprintf("%s (%s %s)", s.File, format.Thousands(s.N), unit))
	}
	verdict := a.IO.Paint(term.Bold, "same bits") + ": " + strings.Join(same, ", ")
	if len(out.Left) > 0 {
		verdict = a.IO.Paint(term.Bold, "the same as far as compared") + ": " + strings.Join(same, ", ")
	}
	if out.Difference != nil {
		verdict = a.IO.Paint(term.Bold, "not the same bits") + ": " + out.Difference.String()
	}
	a.Say(verdict, "", "  ")
	if out.Difference == nil && len(out.Left) > 0 {
		a.Say("not compared: "+strings.Join(out.Left, "; "), "", "  ")
	}
	if out.Again != nil {
		changes, err := reproduction.Changes(out.Kept, out.Again)
		if err != nil {
			a.Warn(fmt.Errorf("what has changed since is not known: %w", err))
		}
		if err := printChanges(a, changes, err == nil && out.Difference != nil); err != nil {
			return err
		}
	}
	if out.Difference != nil {
		return fmt.Errorf("%s does not come out the same", out.Kept.Label())
	}
	outcome.Cite(a.IO, out.Kept, "")
	return nil
}

// printChanges lists what is not as it was; blame says that something must be.
func printChanges(a *cli.App, list []reproduction.Change, blame bool) error {
	if len(list) == 0 {
		if blame {
			a.Say("versions, settings, data and machine are as they were: "+a.Command("doctor")+" checks the machine", "", "  ")
		}
		return nil
	}
	t := term.NewTable(term.Column{Head: "not as it was"}, term.Column{Head: "then"}, term.Column{Head: "now"})
	for _, c := range list {
		t.Add(c.What, c.Kept, c.Now)
	}
	return t.Text(a.IO, "  ")
}
