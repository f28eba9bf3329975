package modelview

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/dataset/folder"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Found is the run that RUN names. For a file from exp export it has only the
// configuration and no path.
type Found struct {
	*runs.Run
	file *infer.Trained // nil for a run folder
}

// Find finds the run or the file that RUN names.
func Find(a *cli.App, ref string) (Found, error) {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() && filepath.Ext(ref) == ".safetensors" {
		t, err := infer.ReadFile(ref)
		if err != nil {
			return Found{}, err
		}
		return Found{&runs.Run{Config: t.Config}, t}, nil
	}
	run, err := a.RunOf(ref)
	return Found{Run: run}, err
}

// Translates reports whether the run translates.
func (f Found) Translates() bool { return f.Config.Task() == runs.Pairs }

// Trained reads the model.
func (f Found) Trained() (*infer.Trained, error) {
	if f.file != nil {
		return f.file, nil
	}
	return infer.ReadRun(f.Run)
}

// Translator opens the model of a run that translates.
func (f Found) Translator(a *cli.App, pool *ops.Pool) (*translator.Model, error) {
	m, err := translator.Open(f.Run, pool)
	if err == nil && f.Status.State != runs.Finished {
		a.Warn(fmt.Errorf("%s is %s: these are the weights of epoch %d", f.Label(), f.Status, m.Epoch))
	}
	return m, err
}

// LookUp lets a model look up unknown words in the vectors that it was trained with, if
// they are installed. absent reports that they are not.
func LookUp(ctx context.Context, a *cli.App, c *runs.Config, m *infer.Model) (found, absent bool) {
	dir, err := a.Installed()
	if err == nil {
		err = m.LookUpInstalled(ctx, dir, c, folder.Options{Warn: a.Warn})
	}
	_, missing := errors.AsType[*folder.NotInstalledError](err)
	switch {
	case err == nil:
		return true, false
	case errors.Is(err, infer.ErrNoLookUp), ctx.Err() != nil:
	case missing:
		return false, true
	default:
		a.Warn(fmt.Errorf("unknown words are not looked up: %w", err))
	}
	return false, false
}
