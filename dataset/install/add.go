package dataset

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"imdbexp/internal/fsx"
)

// Added says what Add put into the data folder.
type Added struct {
	Item
	Digest             string            // of the content, of vectors the last
	Digests            map[string]string // by name
	Train, Test, Extra int               // reviews of a corpus, or pairs
	Dims               []int             // of vectors
	Words              int               // of vectors, in each dimension
}

// Add recognises a file or folder by its content, copies it into the data
// folder and checks every byte of it there, before it gets its name: after an
// error the folder holds what it held before. A corpus is left split into
// words, so that the first run is as quick as the second. One process adds at a
// time. A folder is packed into an archive.
func Add(ctx context.Context, dir, file string, o OpenOptions) (a Added, err error) {
	found, err := Detect(ctx, file)
	if err != nil {
		return a, err
	}
	final := filepath.Join(dir, found.File)
	err = staging(dir, func(incoming string) (err error) {
		staged := file
		if !same(file, final) {
			staged = filepath.Join(incoming, found.File)
			if err := bring(ctx, file, staged, o); err != nil {
				return err
			}
		}
		a, err = finish(ctx, dir, staged, final, found, Expected{Shown: file}, o)
		return err
	})
	return a, err
}

func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// bring copies a file, or packs a folder.
func bring(ctx context.Context, file, to string, o OpenOptions) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fsx.WriteFile(to, func(w io.Writer) error { return packIMDB(ctx, imdbDir{file, o.Limits}, w) })
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	return fsx.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, &meter{ctx: ctx, r: in, total: info.Size(), progress: o.Progress})
		return err
	})
}

// finish checks a staged file, moves it to its place, notes what it holds and
// fills the cache.
func finish(ctx context.Context, dir, staged, final string, found Found, want Expected, o OpenOptions) (a Added, err error) {
	inspect := inspectVectors
	switch found.Kind {
	case CorpusKind:
		inspect = inspectCorpus
	case PairsKind:
		inspect = inspectPairs
	}
	a, keep, err := inspect(ctx, staged, want.Shown, found, o)
	if err == nil {
		err = want.compare(a)
	}
	noted, _ := Records(dir) // unreadable: record says so
	if err == nil {
		err = record(dir, filepath.Base(final), nil) // of what is being replaced
	}
	if err != nil {
		return Added{}, err
	}
	if err := place(staged, final); err != nil {
		return Added{}, err
	}
	info, err := os.Stat(final)
	if err != nil {
		return Added{}, err
	}
	a.Item = Item{Kind: found.Kind, Name: found.Name, Path: final, Bytes: info.Size()}
	if err := record(dir, filepath.Base(final), a.record()); err != nil {
		return Added{}, err
	}
	for name, old := range noted[filepath.Base(final)].Digests {
		if old != a.Digests[name] {
			o.warn(name, forgetDigest(o.cacheDir(dir), old))
		}
	}
	o.warn(filepath.Base(final), remember(ctx, o.cacheDir(dir), final, keep))
	return a, nil
}

func (a *Added) record() *Record {
	return &Record{Digests: a.Digests, Train: a.Train, Test: a.Test, Extra: a.Extra, Words: a.Words}
}

// place gives a checked file its name, and removes what Add may have put there
// before in another form.
func place(staged, final string) error {
	if staged == final || same(staged, final) {
		return nil
	}
	if err := atomic.ReplaceFile(staged, final); err != nil {
		return err
	}
	for _, other := range []string{"aclImdb.tar.gz", "aclImdb.tar"} {
		if base := filepath.Base(final); other != base && (base == "aclImdb.tar.gz" || base == "aclImdb.tar") {
			if err := fsx.RemoveFile(filepath.Join(filepath.Dir(final), other)); err != nil {
				return err
			}
		}
	}
	return nil
}

// remember fills the cache for a file that has got its name.
func remember(ctx context.Context, cache, final string, keep keeper) error {
	path, err := filepath.Abs(final)
	if err != nil {
		return err
	}
	state, err := stateOf(path)
	if err != nil {
		return err
	}
	unlock, err := lockCache(ctx, cache)
	if err != nil {
		return err
	}
	defer unlock()
	return keep(cache, path, state)
}
