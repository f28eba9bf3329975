package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// UsageError is a command line that makes no sense.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage marks an error as one of usage; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

// ReportedError is an error whose text has been shown already.
type ReportedError struct{ error }

func (e ReportedError) Unwrap() error { return e.error }

// Reported marks an error as shown already.
func Reported(err error) error { return ReportedError{err} }

// Done reports whether the context has ended by itself.
func Done(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// Hint returns what to do about an error that knows only what is wrong, to be written
// behind it; mostly "".
func (a *App) Hint(err error) string {
	if missing, ok := errors.AsType[*folder.NotInstalledError](err); ok {
		return a.dataHint(missing)
	}
	if e, ok := errors.AsType[*runs.AnswersError](err); ok {
		return a.answersHint(e)
	}
	return ""
}

// dataHint returns the data set that may have been meant by one that is not installed.
func (a *App) dataHint(missing *folder.NotInstalledError) string {
	name, isData := strings.CutPrefix(missing.Setting, "data=")
	if isData && missing.Known != nil {
		known := slices.Clip(missing.Known)
		if slices.Contains(known, "sample") { // reviews are wanted
			known = append(known, "imdb")
		}
		return settings.Nearest(name, known)
	}
	return ""
}

// answersHint returns what writes the answers of a run anew, the same bytes: its model, or
// where that cannot be asked alone, training.
func (a *App) answersHint(e *runs.AnswersError) string {
	c := &e.Run.Config
	if c.Task() == runs.Pairs || c.Setting("attention") == "imposed" {
		return "; train it again, to the same numbers: " + a.Command("run", filepath.Join(e.Run.Path, "config.yaml"), "--force")
	}
	return "; its weights give them anew, without training: " + a.Command("predict", e.Run.Path, "data="+c.Data.Name, "--out", e.File())
}
