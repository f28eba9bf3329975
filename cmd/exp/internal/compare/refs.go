package compare

import (
	"errors"
	"fmt"
	"path/filepath"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

// withoutPredictions adds to such an error what to type.
func withoutPredictions(a *cli.App, err error) error {
	e, ok := errors.AsType[*compare.NoPredictionsError](err)
	if !ok {
		return err
	}
	if _, untested := errors.AsType[*runs.UntestedError](err); untested {
		tested := []string{"run"}
		for _, w := range a.Names().Words(&e.Run.Config) {
			if w == "test=never" {
				w = "test=last"
			}
			tested = append(tested, w)
		}
		return fmt.Errorf("%w; %s tests its settings", err, a.Command(tested...))
	}
	if s := e.Run.Status.State; s == runs.Created || s == runs.Unfinished {
		return fmt.Errorf("%w; train it to its end: %s", err, a.Command("run", filepath.Join(e.Run.Path, "config.yaml")))
	}
	return err // of a finished one App.Hint tells
}
