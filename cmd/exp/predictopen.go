package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// readable says early what is wrong with the name of a file.
func (a *app) readable(ref, file string) error {
	_, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist) && strings.ContainsAny(file, " \t\n"):
		return usage(fmt.Errorf("%q is no file. For one text: %s; for a review a line: echo … | %s", shorten(file),
			a.command("attend", ref, file), a.command("predict", ref, "-")))
	case errors.Is(err, os.ErrNotExist) && slices.Contains(append(a.dataChoices("data"), "imdb"), file):
		return fmt.Errorf("%w; the reviews of that data set are data=%s", err, file)
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

// trained reads the model of a run, or of a file that exp export has written.
func (a *app) trained(ref string) (*infer.Trained, error) {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() && filepath.Ext(ref) == ".safetensors" {
		return infer.ReadFile(ref)
	}
	run, err := a.runOf(ref)
	if err != nil {
		return nil, err
	}
	t, err := infer.ReadRun(run)
	if err == nil && run.Status.State != runs.Finished {
		a.warn(fmt.Errorf("%s is %s: these are the weights of epoch %d", run.Label(), run.Status, t.Epoch))
	}
	return t, err
}

// lookUp lets the model find words that its run has not met, where that can be done.
func (p *predicting) lookUp(ctx context.Context) {
	if p.o.noLookup {
		return
	}
	dir, err := p.app.data()
	if err == nil {
		err = p.model.LookUpInstalled(ctx, dir, &p.run.Config, dataset.OpenOptions{Warn: p.app.warn})
	}
	missing := new(dataset.NotInstalledError)
	switch {
	case err == nil:
		p.looked = infer.Pretrained(&p.run.Config)
	case errors.Is(err, infer.ErrNoLookUp), ctx.Err() != nil:
	case errors.As(err, &missing):
		p.absent = infer.Pretrained(&p.run.Config)
	default:
		p.app.warn(fmt.Errorf("words that the run has not met stay unknown: %w", err))
	}
}
