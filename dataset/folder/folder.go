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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

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
