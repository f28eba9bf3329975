package folder

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"imdbexp/dataset/internal/stream"
)

// Expected describes the file that Adopt accepts.
type Expected struct {
	Name   string // in settings: imdb, glove50
	Digest string // of the content; "" is any
	Shown  string // what messages call the file; "" is its path
}

// Adopt is Add for a file on the file system of the data folder: it checks and moves the
// file instead of copying it. The caller holds the lock of the folder. After an error the
// file is where it was.
func Adopt(ctx context.Context, dir, file string, want Expected, o Options) (Added, error) {
	if want.Shown == "" {
		want.Shown = file
	}
	found, err := Detect(ctx, file)
	if err != nil {
		return Added{}, err
	}
	if !slices.Contains(found.names(), want.Name) {
		return Added{}, fmt.Errorf("%s: contains %s instead of %s", want.Shown, stream.Listed(found.names()), want.Name)
	}
	return finish(ctx, dir, file, filepath.Join(dir, found.File), found, false, want, o)
}

// names returns the names in settings of the content of a file.
func (f Found) names() []string {
	if f.Kind == CorpusKind {
		return []string{f.Name}
	}
	var names []string
	for _, dim := range f.Dims {
		names = append(names, GloveName(dim))
	}
	return names
}

// compare checks the digest of what was read.
func (e Expected) compare(a Added) error {
	if got := a.Digests[e.Name]; e.Digest != "" && got != e.Digest {
		return &ContentError{e.Shown, e.Name, e.Digest, got}
	}
	return nil
}

// ContentError is the error for an undamaged file with another content than expected.
type ContentError struct {
	File, Name, Want, Got string
}

func (e *ContentError) Error() string {
	return fmt.Sprintf("%s: the content of %s has the digest %s instead of %s: damaged, or another version", e.File, e.Name, e.Got, e.Want)
}
