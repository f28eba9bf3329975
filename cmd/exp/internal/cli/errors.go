package cli

import (
	"context"
	"errors"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/internal/settings"
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

// DataHint returns the data set that may have been meant by one that is not installed.
func (a *App) DataHint(err error) string {
	missing, ok := errors.AsType[*folder.NotInstalledError](err)
	if !ok {
		return ""
	}
	name, isData := strings.CutPrefix(missing.Setting, "data=")
	if known := append(a.DataChoices("data"), "imdb"); isData && name != "imdb" {
		return settings.Nearest(name, known)
	}
	return ""
}
