package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
)

// Checked is the result of checking an item.
type Checked struct {
	Item
	Digest    string // of the content
	Published string // as published; "" if unknown
	Err       error  // set if it cannot be read
}

// Check reads everything that is installed, without the cache. It calls hear for each item and returns
// the error of the first damaged one.
func Check(ctx context.Context, dir string, o Options, hear func(Checked)) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	var first error
	for _, i := range items {
		a, _, err := content(ctx, i, i.Path, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		hear(Checked{Item: i, Digest: a.Digest, Published: dataset.Published(i.Name), Err: err})
		if first == nil {
			first = err
		}
	}
	return first
}

// content reads every byte of a file and describes it. Messages call the file shown. A corpus is also
// returned, for the cache.
func content(ctx context.Context, i Item, shown string, o Options) (a Added, c *dataset.Corpus, err error) {
	a.Item = i
	switch i.Kind {
	case PairsKind:
		train, test, err := pairs.Read(ctx, i.Path, shown, o.Progress)
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Train, a.Test = pairs.Digest(train, test), len(train), len(test)
	case ProbeKind:
		p, err := probe.Open(ctx, i.Path, shown, o.Progress)
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Test = p.Digest(), len(p.Pairs)
	case CorpusKind:
		tok, err := token.Get(o.Tokenizer)
		var src dataset.Source
		if err == nil {
			src, err = File(i.Name, i.Path, shown, o)
		}
		if err == nil {
			c, err = dataset.Build(ctx, i.Name, src, tok)
		}
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Train, a.Test, a.Extra = c.Digest, c.Train.Len(), c.Test.Len(), c.Extra.Len()
	case VectorsKind:
		v, err := vectors.Read(ctx, i.Path, vectors.Options{Keep: []string{}, Shown: shown, Progress: o.Progress, Warn: o.Warn})
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Words, a.Dim = v.Digest, v.Total, v.Dim
	}
	return a, c, nil
}

// DownloadFolder is the folder of unfinished downloads in the data folder.
const DownloadFolder = "downloads"

// Remove removes data from the data folder, with its cache: imdb, own data or vectors by name, glove50,
// or glove for GloVe of all dimensions. It returns the removed files, without those of the cache.
func Remove(dir, name string) (gone []string, err error) {
	if name == "sample" || name == phrases.Name {
		return nil, fmt.Errorf("%s is part of the program and cannot be removed", name)
	}
	for { // a file may have been hidden by the one before
		items, err := Installed(dir)
		if err != nil {
			return gone, err
		}
		i := slices.IndexFunc(items, func(i Item) bool {
			return i.Name == name || name == "glove" && i.Kind == VectorsKind && publishedFiles(i.Name) != nil
		})
		switch {
		case i < 0 && len(gone) == 0:
			var have []string
			for _, i := range items {
				have = append(have, i.Name)
			}
			return nil, fmt.Errorf("%s is not installed in %s. Installed: %s", name, dir, cmp.Or(strings.Join(have, ", "), "nothing"))
		case i < 0:
			return gone, nil
		}
		if err := removeFile(dir, items[i].Path); err != nil {
			return gone, err
		}
		gone = append(gone, items[i].Path)
	}
}

// removeFile removes a file with what is cached of it.
func removeFile(dir, path string) error {
	unlock, err := Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	cacheDir := filepath.Join(dir, "cache")
	if err := errors.Join(cache.Forget(cacheDir, cache.ReadStamp(cacheDir, file)), cache.RemoveStamp(cacheDir, file)); err != nil {
		return err
	}
	return fsx.In(dir, filepath.Base(path)).RemoveAll()
}
