package cli

import (
	"fmt"
	"strings"

	"imdbexp/experiments"
	"imdbexp/runs"
)

// RunOf returns the run that a word names, and says how to make one of an
// experiment that has none.
func (a *App) RunOf(ref string) (*runs.Run, error) {
	run, err := runs.Find(a.Runs, ref)
	if err == nil {
		return run, nil
	}
	if e, _ := experiments.Lookup(ref); e != nil {
		sep := "; "
		if strings.Contains(err.Error(), "\n") { // a list of what there is
			sep = "\n"
		}
		return nil, fmt.Errorf("%w%s%s makes one", err, sep, a.Command("run", ref))
	}
	return nil, err
}
