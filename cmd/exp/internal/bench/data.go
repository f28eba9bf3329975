package bench

import (
	"context"
	"fmt"
	"os"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/open"
	"imdbexp/internal/term"
)

// benchData measures the time to read the installed data, with a temporary cache.
func benchData(ctx context.Context, a *cli.App) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	cache, err := os.MkdirTemp("", "exp-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	o := open.Options{CacheDir: cache, Warn: a.Warn}
	t := term.NewTable(term.Column{Head: "what"}, term.Column{Head: "at first", Right: true}, term.Column{Head: "from the cache", Right: true})
	var corpus *dataset.Corpus
	read := func(name string) func() error {
		return func() (err error) { corpus, err = open.Corpus(ctx, dir, name, o); return err }
	}
	names := []string{"sample"}
	for _, i := range items {
		if i.Kind == folder.CorpusKind {
			names = append(names, i.Name)
		}
	}
	for _, name := range names { // the last one is used for the vectors
		if err := twice(t, "data="+name, read(name)); err != nil {
			return err
		}
	}
	for _, i := range items {
		if i.Kind != folder.VectorsKind {
			continue
		}
		err := twice(t, fmt.Sprintf("vectors=%s for data=%s", i.Name, corpus.Name), func() error {
			_, err := open.Vectors(ctx, dir, i.Name, corpus, o)
			return err
		})
		if err != nil {
			return err
		}
	}
	a.Heading("reading data in " + dir)
	return t.Text(a.IO, "  ")
}

// twice measures a function that is faster the second time.
func twice(t *term.Table, what string, f func() error) error {
	cells := []string{what}
	for range 2 {
		began := time.Now()
		if err := f(); err != nil {
			return err
		}
		cells = append(cells, milliseconds(time.Since(began).Seconds()))
	}
	t.Add(cells...)
	return nil
}
