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
//	installed.json         digests of their contents, for Check
//	downloads/             unfinished downloads, see package fetch
//	.incoming-*/           files that are being added, until they are checked
//	cache/stamp-*.json     digests of those files, while they are unchanged
//	cache/corpus-*.bin     vocabulary, train and test reviews as word IDs
//	cache/extra-*.bin      unlabelled reviews
//	cache/vectors-*.bin    vectors of a corpus's words, or of all words of a set
package folder

import (
	"fmt"
	"os"
	"path/filepath"
)

// NoneError is the error for a missing data folder. Functions that read one accept "" for
// none: nothing is installed and nothing is cached, which is enough for the sample.
type NoneError struct{ Err error }

func (e *NoneError) Error() string {
	return fmt.Sprintf("no data folder: %v; give one with --data-dir or $EXP_DATA", e.Err)
}

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
		return "", &NoneError{err}
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
	Bytes int64 // size of the file; 0 for a folder
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
	if i, _, ok := findPublished(dir, "imdb"); ok {
		items = append(items, i)
	}
	items = append(items, data...)
	for _, dim := range GloveDims {
		if i, _, ok := findPublished(dir, GloveName(dim)); ok {
			items = append(items, i)
		}
	}
	return append(items, vectors...), nil
}
