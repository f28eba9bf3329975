package folder

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/own"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
)

// Added describes what was put into the data folder.
type Added struct {
	Item
	Record
	Digest string // of the content, of vectors the last
	Dims   []int  // of vectors

	stamps map[string]string // for the cache: digests by member of a zip, "" for a whole file
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
	want := Expected{Shown: file}
	return add(ctx, dir, file, found, replace, want, o, func(to string) error { return copyIn(ctx, file, to, o) })
}

// AddHub is Add for IMDB as the Parquet files of the Hugging Face hub, which become an archive with the
// published content.
func AddHub(ctx context.Context, dir string, files []string, replace bool, o Options) (a Added, err error) {
	hub, err := imdb.OpenHub(ctx, files, o.Progress)
	if err != nil {
		return a, err
	}
	want := Expected{Shown: hub.String(), Name: "imdb", Digest: dataset.Published("imdb")}
	return add(ctx, dir, "", foundIMDB, replace, want, o, func(to string) error { return pack(ctx, hub, to) })
}

// add puts the file that write makes into the data folder, unless file is there already.
func add(ctx context.Context, dir, file string, found Found, replace bool, want Expected, o Options, write func(to string) error) (a Added, err error) {
	err = stage(dir, func(incoming string) (err error) {
		if err := vacant(dir, file, found, replace); err != nil {
			return err
		}
		staged := file
		if !same(file, filepath.Join(dir, found.File)) {
			staged = filepath.Join(incoming, found.File)
			if err := write(staged); err != nil {
				return err
			}
		}
		a, err = finish(ctx, dir, staged, found, replace, want, o)
		return err
	})
	return a, err
}

// addNamed is add under a name that the user gives. Messages call the file shown.
func addNamed(ctx context.Context, dir string, kind Kind, name string, replace bool, shown string, o Options, write func(to string) error) (a Added, err error) {
	if err := CheckName(name); err != nil {
		return a, err
	}
	found := Found{Kind: kind, Name: name, File: name + cmp.Or(ownSuffix[kind], vectorsSuffixes[0]), members: []string{""}}
	return add(ctx, dir, "", found, replace, Expected{Shown: shown}, o, write)
}

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
	want.Shown = cmp.Or(want.Shown, file)
	found, err := Detect(ctx, file)
	if err != nil {
		return Added{}, err
	}
	if !slices.Contains(found.names(), want.Name) {
		return Added{}, fmt.Errorf("%s: contains %s instead of %s", want.Shown, stream.Listed(found.names()), want.Name)
	}
	return finish(ctx, dir, file, found, false, want, o)
}

// vacant checks that adding a file replaces nothing, unless replace is true: no file of its name, and no
// other files with all of its content. Data of another kind is never replaced.
func vacant(dir, file string, found Found, replace bool) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	names := found.names()
	for _, i := range items {
		at := slices.Index(names, i.Name)
		if at < 0 || same(file, i.Path) {
			continue
		}
		setting := "data=" + i.Name
		if i.Kind == VectorsKind {
			setting = "vectors=" + i.Name
		}
		names = slices.Delete(names, at, at+1)
		switch last := len(names) == 0 || i.Path == filepath.Join(dir, found.File); {
		case i.Kind != found.Kind:
			return fmt.Errorf("%s is installed in %s already and is of another kind (%s): choose another name, or remove it first", setting, dir, i.Kind)
		case last && !replace && CheckName(i.Name) == nil:
			return fmt.Errorf("%s is installed in %s already: --force replaces it, another --name keeps both", setting, dir)
		case last && !replace:
			return fmt.Errorf("%s is installed in %s already, as %s: --force replaces it", setting, dir, filepath.Base(i.Path))
		}
	}
	return nil
}

func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// finish checks a staged file, gives it its name, removes others with its content, writes its record
// and fills the cache. Unless replace is true, a zip of all vectors leaves files of one dimension.
func finish(ctx context.Context, dir, staged string, found Found, replace bool, want Expected, o Options) (a Added, err error) {
	a, sorted, err := content(ctx, dir, found, staged, want.Shown, o)
	if sorted != nil {
		defer sorted.Close() // no longer needed
	}
	if got := a.Digests[want.Name]; err == nil && want.Digest != "" && got != want.Digest {
		err = contentError(want.Shown, want.Name, want.Digest, got)
	}
	if err != nil {
		return Added{}, err
	}
	final := filepath.Join(dir, found.File)
	noted, _ := Records(dir)                                  // writeRecord reports an error
	if err := writeRecord(dir, found.File, nil); err != nil { // of the replaced file
		return Added{}, err
	}
	if !same(staged, final) {
		from, err := filepath.Rel(dir, staged)
		if err == nil {
			err = fsx.In(dir).Rename(from, found.File)
		}
		if err != nil {
			return Added{}, err
		}
	}
	for _, other := range found.replaced(replace) {
		path := filepath.Join(dir, other)
		if other != found.File && !same(path, final) {
			if err := fsx.RemoveFile(path); err != nil {
				return Added{}, err
			}
		}
		for name, old := range noted[other].Digests {
			if old != a.Digests[name] {
				o.NotCached(name, cache.Forget(o.Cache(dir), old))
			}
		}
	}
	info, err := os.Stat(final)
	if err == nil {
		a.Path, a.Bytes = final, info.Size()
		err = writeRecord(dir, found.File, &a.Record)
	}
	if err != nil {
		return Added{}, err
	}
	if len(a.stamps) > 0 {
		o.NotCached(found.File, remember(ctx, o.Cache(dir), a, sorted))
	}
	return a, nil
}

// remember fills the cache for a file that has its final name.
func remember(ctx context.Context, cacheDir string, a Added, sorted *dataset.Sorted) error {
	path, err := filepath.Abs(a.Path)
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
	if sorted != nil {
		err = cache.WriteCorpus(cacheDir, sorted)
	}
	for member, digest := range a.stamps {
		if err == nil {
			err = cache.WriteStamp(cacheDir, path, member, state, digest)
		}
	}
	return err
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
		return pack(ctx, reviews, to)
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

// pack writes the archive of a data set like IMDB.
func pack(ctx context.Context, reviews dataset.Source, to string) error {
	return fsx.WriteFile(to, func(w io.Writer) error { return imdb.Pack(ctx, reviews, w) })
}

// ReviewsAdded describes what AddReviews put into the data folder.
type ReviewsAdded struct {
	Added
	own.Reviews
}

// AddReviews makes a data set of the user's labelled texts, whatever their format, and puts it
// into the data folder in one format. Everything is checked before the file gets its name.
// AddReviews locks the folder.
func AddReviews(ctx context.Context, dir string, in own.Data, o Options) (a ReviewsAdded, err error) {
	a.Added, err = addNamed(ctx, dir, CorpusKind, in.Name, in.Force, in.Name, o, func(to string) (err error) {
		a.Reviews, err = in.WriteReviews(ctx, to, o.Limits, o.Progress)
		return err
	})
	return a, err
}

// PairsAdded describes what AddPairs put into the data folder.
type PairsAdded struct {
	Added
	own.Pairs
}

// AddPairs makes a data set of the user's sentence pairs and puts it into the data folder; see
// tables.ReadPairs for the files. The test part is in.Test or comes from a column split;
// without them a fraction of the sources is held out, each with all its translations. AddPairs
// ignores Classes, Unlabelled and Columns of in. It locks the folder.
func AddPairs(ctx context.Context, dir string, in own.Data, o Options) (a PairsAdded, err error) {
	a.Added, err = addNamed(ctx, dir, PairsKind, in.Name, in.Force, in.Name, o, func(to string) (err error) {
		a.Pairs, err = in.WritePairs(ctx, to, o.Progress)
		return err
	})
	return a, err
}

// ProbeAdded describes what AddProbe put into the data folder.
type ProbeAdded struct {
	Added
	Probe   *probe.Probe
	Sources []probe.FileRead
}

// AddProbe makes a probe of the user's minimal pairs and puts it into the data folder. It locks the
// folder.
func AddProbe(ctx context.Context, dir string, in probe.Files, o Options) (a ProbeAdded, err error) {
	a.Added, err = addNamed(ctx, dir, ProbeKind, in.Name, in.Force, in.Name, o, func(to string) (err error) {
		if a.Probe, a.Sources, err = in.Gather(ctx, o.Progress); err != nil {
			return err
		}
		var names []string
		for _, s := range a.Sources {
			names = append(names, s.File+" ("+s.How.String()+")")
		}
		return a.Probe.Write(to, names)
	})
	return a, err
}

// AddVectors copies a file of word vectors, in any format that vectors.Read reads, into the data folder
// under a name for settings, compressed by gzip. Every byte of the copy is checked before it gets its name.
// AddVectors locks the folder.
func AddVectors(ctx context.Context, dir, file, name string, force bool, o Options) (Added, error) {
	return addNamed(ctx, dir, VectorsKind, name, force, file, o, func(to string) error {
		in, shown, err := stream.OpenInside(ctx, file, "", "", vectors.MaxBytes, o.Progress)
		if err != nil {
			return err
		}
		defer in.Close()
		return fsx.WriteFile(to, func(w io.Writer) error {
			z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
			if err != nil {
				return err
			}
			if _, err := io.Copy(z, in); err != nil {
				return stream.Damaged(shown, "its beginning", err)
			}
			return z.Close()
		})
	})
}
