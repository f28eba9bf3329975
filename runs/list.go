package runs

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// UnreadableError is a run folder that cannot be read.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnreadableError) Unwrap() error { return e.Err }

// Unreadable returns the folders that an error of List joins.
func Unreadable(err error) []*UnreadableError {
	switch e := err.(type) {
	case *UnreadableError:
		return []*UnreadableError{e}
	case interface{ Unwrap() []error }:
		var out []*UnreadableError
		for _, one := range e.Unwrap() {
			out = append(out, Unreadable(one)...)
		}
		return out
	}
	return nil
}

// List returns the runs under dir, oldest first. Folders that are not runs are skipped,
// and a missing dir holds no runs. The error joins an UnreadableError for each run that
// cannot be read; the runs returned with it are complete.
func List(dir string) ([]*Run, error) {
	names, err := folders(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Run
	var errs []error
	for _, name := range names {
		ids, err := folders(filepath.Join(dir, name))
		errs = append(errs, err)
		for _, id := range ids {
			path := filepath.Join(dir, name, id)
			r, err := Open(path)
			switch {
			case err == nil:
				all = append(all, r)
			case !errors.Is(err, fs.ErrNotExist):
				errs = append(errs, &UnreadableError{path, err})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Run) int {
		return cmp.Or(a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path))
	})
	return all, errors.Join(errs...)
}

// folders returns the names of the folders in dir that are not hidden.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}
