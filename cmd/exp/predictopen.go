package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/open"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// readable says early what is wrong with the name of a file.
func (a *app) readable(ref, file string) error {
	_, err := os.Stat(file)
	switch {
	case file == "":
		return usage(fmt.Errorf("the name of the file is empty; standard input is -: %s", a.command("predict", ref, "-")))
	case errors.Is(err, os.ErrNotExist) && strings.HasPrefix(file, "beam="): // as exp run takes it
		return usage(fmt.Errorf("%s is no file: here it is --beam %s", file, strings.TrimPrefix(file, "beam=")))
	case errors.Is(err, os.ErrNotExist) && strings.ContainsAny(file, " \t\n"):
		predict := a.command("predict", ref, "-")
		if run, err := a.runOf(ref); err == nil && run.Config.Translates() { // not all of these have attention
			return usage(fmt.Errorf("%q is no file. To translate a sentence: echo %s | %s", shorten(file), quoted(file), predict))
		}
		return usage(fmt.Errorf("%q is no file. For one text: %s; for a text a line: echo … | %s", shorten(file),
			a.command("attend", ref, file), predict))
	case errors.Is(err, os.ErrNotExist) && slices.Contains(append(a.dataChoices("data"), "imdb"), file):
		return fmt.Errorf("%w; that data set is data=%s", err, file)
	}
	return err
}

// shorten cuts a text that is shown in a message.
func shorten(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// trained returns a run and its trained model. Of a file that exp export has written
// the run is no more than its configuration, without a path.
func (a *app) trained(ref string) (*runs.Run, *infer.Trained, error) {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() && filepath.Ext(ref) == ".safetensors" {
		t, err := infer.ReadFile(ref)
		if err != nil {
			return nil, nil, err
		}
		return &runs.Run{Config: t.Config}, t, nil
	}
	run, err := a.runOf(ref)
	if err != nil {
		return nil, nil, err
	}
	if run.Status.State == runs.Created {
		return nil, nil, fmt.Errorf("%s has no whole epoch behind it yet: there are no weights to look with", run.Label())
	}
	t, err := infer.ReadRun(run)
	return run, t, err
}

// lookUp lets a model find words that its run has not met in the vectors that it was
// trained from, where these are installed; elsewhere absent says that they would help.
func (a *app) lookUp(ctx context.Context, c *runs.Config, m *infer.Model) (found, absent bool) {
	dir, err := a.data()
	if err == nil {
		err = m.LookUpInstalled(ctx, dir, c, open.Options{Warn: a.warn})
	}
	_, missing := errors.AsType[*folder.NotInstalledError](err)
	switch {
	case err == nil:
		return true, false
	case errors.Is(err, infer.ErrNoLookUp), ctx.Err() != nil:
	case missing:
		return false, true
	default:
		a.warn(fmt.Errorf("words that the run has not met stay unknown: %w", err))
	}
	return false, false
}

// lookUp does so unless the user has said no, and keeps which vectors they are.
func (p *predicting) lookUp(ctx context.Context) {
	if p.o.noLookup {
		return
	}
	switch found, absent := p.app.lookUp(ctx, &p.run.Config, p.model); {
	case found:
		p.looked = infer.Pretrained(&p.run.Config)
	case absent:
		p.absent = infer.Pretrained(&p.run.Config)
	}
}
