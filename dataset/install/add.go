// Package install adds to the data folder, checks it and removes from it. Every byte is
// checked before a file gets its name, so that the folder holds after an error what it
// held before.
package install

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/open"
	"imdbexp/internal/fsx"
)

// Added says what Add put into the data folder.
type Added struct {
	folder.Item
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
// time. A folder is packed into an archive. What is installed already is replaced only if
// replace says so.
func Add(ctx context.Context, dir, file string, replace bool, o open.Options) (a Added, err error) {
	found, err := Detect(ctx, file)
	if err != nil {
		return a, err
	}
	final := filepath.Join(dir, found.File)
	err = folder.Stage(dir, func(incoming string) (err error) {
		if !replace {
			if err := vacant(dir, file, found); err != nil {
				return err
			}
		}
		staged := file
		if !same(file, final) {
			staged = filepath.Join(incoming, found.File)
			if err := bring(ctx, file, staged, o); err != nil {
				return err
			}
		}
		a, err = finish(ctx, dir, staged, final, found, replace, Expected{Shown: file}, o)
		return err
	})
	return a, err
}

// vacant checks that adding a file takes the place of nothing: of no other file, and not of
// all that it holds under other names.
func vacant(dir, file string, found Found) error {
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	names, setting := found.names(), "data"
	if found.Kind == folder.VectorsKind {
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

// bring copies a file, or packs a folder.
func bring(ctx context.Context, file, to string, o open.Options) error {
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

// finish checks a staged file and settles it, also in place of what lies there under other names
// if replace says so.
func finish(ctx context.Context, dir, staged, final string, found Found, replace bool, want Expected, o open.Options) (a Added, err error) {
	inspect := inspectVectors
	switch found.Kind {
	case folder.CorpusKind:
		inspect = inspectCorpus
	case folder.PairsKind:
		inspect = inspectPairs
	}
	a, keep, err := inspect(ctx, dir, staged, want.Shown, found, o)
	if keep.close != nil {
		defer keep.close() // nothing depends on it any more
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
		if len(found.Dims) > 1 && !replace { // a zip of all may lie beside files of one
			break
		}
		for _, file := range folder.GloveFiles(dim) {
			others = append(others, filepath.Join(dir, file))
		}
	}
	return settle(ctx, dir, staged, final, others, a, keep.fill, o)
}

// settle moves a checked file to its place, in place of others of what it holds, notes
// that, and fills the cache.
func settle(ctx context.Context, dir, staged, final string, others []string, a Added, fill filler, o open.Options) (Added, error) {
	base := filepath.Base(final)
	noted, _ := folder.Records(dir)                            // unreadable: WriteRecord says so
	if err := folder.WriteRecord(dir, base, nil); err != nil { // of what is being replaced
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
	err = folder.WriteRecord(dir, base, &folder.Record{Digests: a.Digests, Train: a.Train, Test: a.Test, Extra: a.Extra, Words: a.Words})
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

// place gives a checked file its name, and removes others that held what it holds.
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

// remember fills the cache for a file that has got its name.
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
