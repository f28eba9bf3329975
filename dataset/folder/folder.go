// Package folder is the data folder (see Dir): what is in it, and how data is added,
// checked, removed, found by name and opened. Every byte is checked before an added file gets
// its name, so the folder is unchanged after an error. What has been split into words or
// parsed is cached.
//
//	aclImdb.tar.gz, glove.6B.50d.txt.gz, …
//	NAME.reviews.jsonl.gz  own data, see package own
//	NAME.pairs.jsonl.gz    own sentence pairs
//	NAME.probe.jsonl.gz    own minimal pairs
//	NAME.vectors.gz        vectors that the user named
//	downloads/             unfinished downloads, see package fetch
//	.incoming-*/           files that are being added, until they are checked
//	cache/stamp-*.txt      digests of those files, while they are unchanged
//	cache/corpus-*.bin     vocabulary, and reviews as word IDs
//	cache/vectors-*.bin    vectors of a corpus's words, or of all words of a set
package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
)

// NoneError is the error for a missing data folder. Functions that read one accept "" for
// none: nothing is installed and nothing is cached, which is enough for the sample.
type NoneError struct{ error }

// Dir returns the data folder: the flag, else $EXP_DATA, else imdbexp in the user's cache
// folder. It need not exist. Without a home folder the error is a NoneError.
func Dir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if env := os.Getenv("EXP_DATA"); env != "" {
		return env, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &NoneError{fmt.Errorf("no data folder: %w; give one with --data-dir or $EXP_DATA", err)}
	}
	return filepath.Join(cache, "imdbexp"), nil
}

// Kind is a kind of data.
type Kind string

// Kinds of data.
const (
	CorpusKind  Kind = "corpus" // labelled reviews
	PairsKind   Kind = "pairs"  // sentences and their translations
	ProbeKind   Kind = "probe"  // minimal pairs, which test a model and are not trained on
	VectorsKind Kind = "vectors"
)

// Item is a data set or a set of vectors in the data folder.
type Item struct {
	Kind  Kind
	Name  string // in settings: imdb, glove50
	Path  string
	Bytes int64 // size of the file
}

// Installed lists the items of the data folder: IMDB, own data, GloVe, own vectors. A
// folder that does not exist has none. The embedded sample and phrases are not listed.
func Installed(dir string) ([]Item, error) {
	if dir == "" {
		return nil, nil
	}
	data, vectors, err := installedOwn(dir)
	if err != nil {
		return nil, err
	}
	var items []Item
	if i, ok := findPublished(dir, "imdb"); ok {
		items = append(items, i)
	}
	items = append(items, data...)
	for _, dim := range GloveDims {
		if i, ok := findPublished(dir, GloveName(dim)); ok {
			items = append(items, i)
		}
	}
	return append(items, vectors...), nil
}

// Lock locks the data folder, for a change of what is installed. It makes the folder if it
// does not exist.
func Lock(dir string) (unlock func(), err error) {
	if err := fsx.In(dir).Make(); err != nil {
		return nil, elsewhere(err)
	}
	lock, err := fsx.In(dir).Acquire("lock")
	if err != nil {
		if held := new(fsx.HeldError); errors.As(err, &held) {
			return nil, fmt.Errorf("another process is adding or removing data (%w): wait for it to end", err)
		}
		return nil, elsewhere(err)
	}
	return func() { _ = lock.Release() }, nil
}

// stage calls add with a new folder in the data folder, which is locked meanwhile. It
// removes that folder afterwards, and first the one that a killed process left.
func stage(dir string, add func(incoming string) error) error {
	unlock, err := Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	stage := fsx.In(dir, ".incoming-fedcba9876543210") // digits, so that no folder of the user has this name
	if err := stage.RemoveAll(); err != nil {
		return err
	}
	defer stage.RemoveAll()
	if err := stage.Make(); err != nil {
		return err
	}
	return add(stage.Path())
}

// elsewhere adds to an error of a folder that cannot be written what to do about it.
func elsewhere(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EROFS) { // none can be made below /proc
		return fmt.Errorf("%w: choose another data folder by --data-dir or $EXP_DATA", err)
	}
	return err
}

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
		first = cmp.Or(first, err)
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
