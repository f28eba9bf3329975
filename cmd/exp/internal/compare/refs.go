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
	config := filepath.Join(e.Run.Path, "config.yaml")
	switch e.Run.Status.State {
	case runs.Created, runs.Unfinished:
		return fmt.Errorf("%w; train it to its end: %s", err, a.Command("run", config))
	case runs.Finished: // exp run passes over it
		return fmt.Errorf("%w; train it again, to the same numbers: %s", err, a.Command("run", config, "--force"))
	}
	return err
}
