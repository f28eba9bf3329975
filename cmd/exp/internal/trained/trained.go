// Package trained opens the model that RUN names: of a run, or of a file that exp
// export has written.
package trained

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/open"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Open returns a run and its trained model. Of a file that exp export has written
// the run is no more than its configuration, without a path.
func Open(a *cli.App, ref string) (*runs.Run, *infer.Trained, error) {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() && filepath.Ext(ref) == ".safetensors" {
		t, err := infer.ReadFile(ref)
		if err != nil {
			return nil, nil, err
		}
		return &runs.Run{Config: t.Config}, t, nil
	}
	run, err := a.RunOf(ref)
	if err != nil {
		return nil, nil, err
	}
	if run.Status.State == runs.Created {
		return nil, nil, fmt.Errorf("%s has no whole epoch behind it yet: there are no weights to look with", run.Label())
	}
	t, err := infer.ReadRun(run)
	return run, t, err
}

// LookUp lets a model find words that its run has not met in the vectors that it was
// trained from, where these are installed; elsewhere absent says that they would help.
func LookUp(ctx context.Context, a *cli.App, c *runs.Config, m *infer.Model) (found, absent bool) {
	dir, err := a.Installed()
	if err == nil {
		err = m.LookUpInstalled(ctx, dir, c, open.Options{Warn: a.Warn})
	}
	_, missing := errors.AsType[*folder.NotInstalledError](err)
	switch {
	case err == nil:
		return true, false
	case errors.Is(err, infer.ErrNoLookUp), ctx.Err() != nil:
	case missing:
		return false, true
	default:
		a.Warn(fmt.Errorf("words that the run has not met stay unknown: %w", err))
	}
	return false, false
}

// Translator returns the run that a command is about and its model if it is one that
// translates; otherwise the model is nil.
func Translator(a *cli.App, ref string, pool *ops.Pool) (*runs.Run, *infer.Translator, error) {
	run, err := a.RunOf(ref)
	if err != nil || run.Config.Task() != runs.Pairs {
		return nil, nil, nil // who knows all runs and files tells what is wrong
	}
	if run.Status.State == runs.Created {
		return nil, nil, fmt.Errorf("%s has no whole epoch behind it yet: it cannot translate", run.Label())
	}
	m, err := infer.OpenTranslator(run, pool)
	if err == nil && run.Status.State != runs.Finished {
		a.Warn(fmt.Errorf("%s is %s: these are the weights of epoch %d", run.Label(), run.Status, m.Epoch))
	}
	return run, m, err
}
