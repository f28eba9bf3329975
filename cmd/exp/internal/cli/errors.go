package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// UsageError is a wrong command line.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage marks an error as a wrong command line; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

// ReportedError is an error that has been printed already.
type ReportedError struct{ error }

func (e ReportedError) Unwrap() error { return e.error }

// Reported marks an error as printed already.
func Reported(err error) error { return ReportedError{err} }

// Done reports whether err is the error of the context, which has ended.
func Done(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// Hint returns advice to print after an error, such as a data set with a similar name, or "".
func (a *App) Hint(err error) string {
	if missing, ok := errors.AsType[*folder.NotInstalledError](err); ok {
		name, isData := strings.CutPrefix(missing.Setting, "data=")
		known := slices.Clip(missing.Known)
		if slices.Contains(known, "sample") { // the run learns from reviews
			known = append(known, "imdb")
		}
		if !isData || known == nil {
			return ""
		}
		return settings.Nearest(name, known)
	}
	if e, ok := errors.AsType[*runs.AnswersError](err); ok {
		return a.answersHint(e)
	}
	if runs.NoFiles(err) {
		return "; exp may not open more files: raise the limit, such as with ulimit -n 1024, or lower --jobs"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && a.inRuns(e.Path) && !strings.Contains(err.Error(), "--runs") {
		if errors.Is(e, fs.ErrPermission) || e.Op == "mkdir" {
			return "; name a folder in which you may write with --runs"
		}
		if gone := a.gone(e); gone != "" {
			return "; " + gone + " was removed or renamed while the command ran: put it back, or give the command again to start over"
		}
	}
	return ""
}

// ListRuns lists the runs. It prints a warning about runs that cannot be read.
func (a *App) ListRuns() ([]*runs.Run, error) {
	list, err := runs.List(a.Runs)
	if fatal := runs.Fatal(err); fatal != nil {
		return nil, fatal
	}
	a.Warn(err)
	return list, nil
}

// inRuns reports whether a path is in the folder of runs.
func (a *App) inRuns(path string) bool {
	rel, err := filepath.Rel(a.Runs, path)
	return a.Runs != "" && err == nil && filepath.IsLocal(rel)
}

// gone returns the folder of a file of a run if it no longer exists, or "". It ignores folders that the
// user typed, and the store, whose own error is clearer.
func (a *App) gone(e *fs.PathError) string {
	dir, all := filepath.Dir(e.Path), filepath.Clean(e.Path) == filepath.Clean(a.Runs)
	if all {
		dir = a.Runs
	}
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() || e.Op == "mkdir" || !a.inRuns(dir) || filepath.Base(dir) == ".store" || !all && a.typed(dir) != "" {
		return ""
	}
	return dir
}

// answersHint returns the command that writes the predictions of a run again with the same bytes: exp
// predict or, if the model cannot predict alone, exp run.
func (a *App) answersHint(e *runs.AnswersError) string {
	c := &e.Run.Config
	if c.Task() == runs.Pairs || c.Setting("attention") == "imposed" {
		return "; train it again, with the same result: " + a.Command("run", filepath.Join(e.Run.Path, "config.yaml"), "--force")
	}
	return "; write them again from its weights: " + a.Command("predict", e.Run.Path, "data="+c.Data.Name, "--out", e.File())
}

// Explain returns the text of an error that ends a command, with advice.
func (a *App) Explain(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(e, fs.ErrNotExist) {
		if name := a.typed(e.Path); name != "" && e.Op != "mkdir" && a.gone(e) == "" {
			text = strings.Replace(text, e.Error(), missing(name), 1)
		}
	}
	return text + a.Hint(err)
}

// typed returns the name of a file as it is in the command line, or "": as a word, the value of a flag,
// a setting or a class (vectors=FILE).
func (a *App) typed(file string) string {
	same := func(name string) bool {
		x, err1 := filepath.Abs(name)
		y, err2 := filepath.Abs(file)
		return name != "" && err1 == nil && err2 == nil && x == y
	}
	for _, word := range a.Args {
		_, value, _ := strings.Cut(word, "=")
		_, last, _ := strings.Cut(value, "=") // --class=pos=FILE
		for _, name := range []string{word, value, last} {
			if same(name) {
				return name
			}
		}
	}
	return ""
}

// missing returns the message for a file that does not exist, with a similar name in its folder if
// there is one.
func missing(name string) string {
	text := "there is no file " + name
	if dir, err := os.Getwd(); err == nil && !filepath.IsAbs(name) {
		text += " in " + dir
	}
	var names []string
	list, _ := os.ReadDir(filepath.Dir(name))
	for _, e := range list {
		names = append(names, e.Name())
	}
	return text + cmp.Or(settings.Nearest(filepath.Base(name), names), ": check its name and folder")
}
