package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/dataset/token"
)

// OpenOptions says how data is opened; the zero value will do.
type OpenOptions struct {
	Tokenizer string      // name; "" is token.Default
	Extra     bool        // read the unlabelled reviews, too
	CacheDir  string      // "" is the folder cache in the data folder
	Limits    Limits      // of what is read
	Progress  Progress    // hears about reading that takes time
	Warn      func(error) // hears why a cache could not be kept; the data is right all the same
}

func (o OpenOptions) cacheDir(dir string) string {
	if o.CacheDir != "" {
		return o.CacheDir
	}
	return filepath.Join(dir, "cache")
}

func (o OpenOptions) warn(what string, err error) {
	if err != nil && o.Warn != nil {
		o.Warn(fmt.Errorf("%s is not cached, so that the next start will be as slow: %w", what, err))
	}
}

// Open returns the corpus of that name, split into words: "imdb" or own data from
// the data folder, or "sample", which is always there. What was split once is read from
// the cache as long as the file it came from is unchanged.
func Open(ctx context.Context, dir, name string, o OpenOptions) (*Corpus, error) {
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return nil, err
	}
	if name == "sample" {
		return Build(ctx, name, sampleSource{}, tok)
	}
	path, err := findCorpus(dir, name)
	if err != nil {
		return nil, err
	}
	return openCached(ctx, dir, name, path, tok, o)
}

// findCorpus returns where an installed corpus lies.
func findCorpus(dir, name string) (string, error) {
	if name == "imdb" {
		path, _, ok := find(dir, imdbNames...)
		if !ok {
			return "", imdbMissing(dir)
		}
		return path, nil
	}
	own, err := findOwn(dir, name, CorpusKind)
	return own.Path, err
}

// cached returns what load finds in the cache, or else what make makes, which is
// then kept by store. Whatever is wrong with a cache, the source makes it good
// again; where none can be kept, o.Warn hears of it.
func cached[T any](ctx context.Context, dir, what string, o OpenOptions, load, make func() (T, error), store func(T) error) (T, error) {
	if x, err := load(); err == nil {
		return x, nil
	}
	unlock, lockErr := lockCache(ctx, o.cacheDir(dir))
	if lockErr == nil {
		defer unlock()
		if x, err := load(); err == nil {
			return x, nil // another process has just made it
		}
	}
	x, err := make()
	if err != nil {
		return x, err
	}
	if lockErr != nil {
		o.warn(what, lockErr)
	} else {
		o.warn(what, store(x))
	}
	return x, nil
}

// openCached opens the corpus in a file, from the cache if it can.
func openCached(ctx context.Context, dir, name, path string, tok token.Tokenizer, o OpenOptions) (*Corpus, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	cache, state := o.cacheDir(dir), ""
	c, err := cached(ctx, dir, "data="+name, o,
		func() (*Corpus, error) { return readCorpus(cache, readStamp(cache, path, ""), tok, o.Extra) },
		func() (*Corpus, error) {
			src, err := openFile(name, path, path, o)
			if err != nil {
				return nil, err
			}
			if state, err = stateOf(path); err != nil {
				return nil, err
			}
			return Build(ctx, name, src, tok)
		},
		func(c *Corpus) error {
			if err := writeCorpus(cache, c); err != nil {
				return err
			}
			return writeStamp(cache, path, "", state, c.Digest)
		})
	if err != nil {
		return nil, err
	}
	c.Name = name
	if !o.Extra {
		c.Extra = Split{}
	}
	return c, nil
}

// openFile returns the source for the file of a corpus: an aclImdb folder or
// archive, or own data. shown is what messages call it.
func openFile(name, path, shown string, o OpenOptions) (Source, error) {
	if name != "imdb" {
		return openOwn(path, shown, o)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return imdbDir{path, o.Limits}, nil
	}
	return imdbTar{path, shown, o.Limits, o.Progress}, nil
}

// OpenSource returns the reviews of a corpus as they were written, for those
// who want to see a text: Open keeps words only.
func OpenSource(dir, name string, o OpenOptions) (Source, error) {
	if name == "sample" {
		return sampleSource{}, nil
	}
	path, err := findCorpus(dir, name)
	if err != nil {
		return nil, err
	}
	return openFile(name, path, path, o)
}
