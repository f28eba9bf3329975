package folder

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/dataset/imdb"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/fsx"
)

// Added describes what Add put into the data folder.
type Added struct {
	Item
	Digest             string            // of the content, of vectors the last
	Digests            map[string]string // by name
	Train, Test, Extra int               // reviews of a corpus, or pairs
	Dims               []int             // of vectors
	Words              int               // of vectors, in each dimension
}

// Add recognises a file or folder by its content, copies it into the data folder and checks
// every byte there before it gets its name. A folder is packed into an archive. A corpus is
// split into words for the cache. Installed data is replaced only if replace is true. One
// process adds at a time.
func Add(ctx context.Context, dir, file string, replace bool, o Options) (a Added, err error) {
	found, err := Detect(ctx, file)
	if err != nil {
		return a, err
	}
	final := filepath.Join(dir, found.File)
	err = stage(dir, func(incoming string) (err error) {
		if !replace {
			if err := vacant(dir, file, found); err != nil {
				return err
			}
		}
		staged := file
		if !same(file, final) {
			staged = filepath.Join(incoming, found.File)
			if err := copyIn(ctx, file, staged, o); err != nil {
				return err
			}
		}
		a, err = finish(ctx, dir, staged, final, found, replace, Expected{Shown: file}, o)
		return err
	})
	return a, err
}

// vacant checks that adding a file replaces nothing: no file of its name, and no other files
// with all of its content.
func vacant(dir, file string, found Found) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	names, setting := found.names(), "data"
	if found.Kind == VectorsKind {
		setting = "vectors"
	}
	for _, i := range items {
		at := slices.Index(names, i.Name)
		if at < 0 || same(file, i.Path) {
			continue
		}
		if names = slices.Delete(names, at, at+1); len(names) == 0 || i.Path == filepath.Join(dir, found.File) {
			return fmt.Errorf("%s=%s is installed in %s already, as %s: --force replaces it", setting, i.Name, dir, filepath.Base(i.Path))
		}
	}
	return nil
}

func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// copyIn copies a file, or packs a folder.
func copyIn(ctx context.Context, file, to string, o Options) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.IsDir() {
		reviews, err := imdb.Open(file, file, o.Limits, nil)
		if err != nil {
			return err
		}
		return fsx.WriteFile(to, func(w io.Writer) error { return imdb.Pack(ctx, reviews, w) })
	}
	in, err := fsx.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	return fsx.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, &stream.Meter{Context: ctx, R: in, Total: info.Size(), Progress: o.Progress})
		return err
	})
}

// finish checks a staged file and settles it. If replace is true, it also replaces files of
// other names with the same content.
func finish(ctx context.Context, dir, staged, final string, found Found, replace bool, want Expected, o Options) (a Added, err error) {
	inspect := inspectVectors
	switch found.Kind {
	case CorpusKind:
		inspect = inspectCorpus
	case PairsKind:
		inspect = inspectPairs
	case ProbeKind:
		inspect = inspectProbe
	}
	a, keep, err := inspect(ctx, dir, staged, want.Shown, found, o)
	if keep.close != nil {
		defer keep.close() // no longer needed
	}
	if err == nil {
		err = want.compare(a)
	}
	if err != nil {
		return Added{}, err
	}
	a.Kind, a.Name = found.Kind, found.Name
	var others []string
	if found.Name == "imdb" {
		others = []string{filepath.Join(dir, "aclImdb.tar.gz"), filepath.Join(dir, "aclImdb.tar")}
	}
	for _, dim := range found.Dims {
		if len(found.Dims) > 1 && !replace { // a zip of all may be next to files of one
			break
		}
		for _, file := range gloveFiles(dim) {
			others = append(others, filepath.Join(dir, file))
		}
	}
	return settle(ctx, dir, staged, final, others, a, keep.fill, o)
}

// settle gives a checked file its final name, removes others with its content, writes its
// record and fills the cache.
func settle(ctx context.Context, dir, staged, final string, others []string, a Added, fill filler, o Options) (Added, error) {
	base := filepath.Base(final)
	noted, _ := Records(dir)                            // writeRecord reports an error
	if err := writeRecord(dir, base, nil); err != nil { // of the replaced file
		return Added{}, err
	}
	if err := place(staged, final, others); err != nil {
		return Added{}, err
	}
	info, err := os.Stat(final)
	if err != nil {
		return Added{}, err
	}
	a.Path, a.Bytes = final, info.Size()
	err = writeRecord(dir, base, &Record{Digests: a.Digests, Train: a.Train, Test: a.Test, Extra: a.Extra, Words: a.Words})
	if err != nil {
		return Added{}, err
	}
	for name, old := range noted[base].Digests {
		if old != a.Digests[name] {
			o.NotCached(name, cache.Forget(o.Cache(dir), old))
		}
	}
	o.NotCached(base, remember(ctx, o.Cache(dir), final, fill))
	return a, nil
}

// place gives a checked file its name and removes others with its content.
func place(staged, final string, others []string) error {
	if !same(staged, final) {
		dir := filepath.Dir(final)
		from, err := filepath.Rel(dir, staged)
		if err == nil {
			err = fsx.In(dir).Rename(from, filepath.Base(final))
		}
		if err != nil {
			return err
		}
	}
	for _, other := range others {
		if other == final || same(other, final) {
			continue
		}
		if err := fsx.RemoveFile(other); err != nil {
			return err
		}
	}
	return nil
}

// remember fills the cache for a file that has its final name.
func remember(ctx context.Context, cacheDir, final string, fill filler) error {
	if fill == nil {
		return nil
	}
	path, err := filepath.Abs(final)
	if err != nil {
		return err
	}
	state, err := cache.StateOf(path)
	if err != nil {
		return err
	}
	unlock, err := cache.Lock(ctx, cacheDir)
	if err != nil {
		return err
	}
	defer unlock()
	return fill(cacheDir, path, state)
}
