package folder

import (
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
	Digest             string // of the content
	Train, Test, Extra int    // reviews of a corpus, or pairs
	Words, Dim         int    // of vectors
}

// Add recognises a file or folder by its content, packs it into the data folder and checks
// every byte there before it gets its name. A corpus is split into words for the cache. From a zip with
// vectors of several dimensions, those that are not installed are added. Installed data is replaced
// only if replace is true. One process adds at a time.
func Add(ctx context.Context, dir, file string, replace bool, o Options) (all []Added, err error) {
	list, err := detect(ctx, file)
	if err != nil {
		return nil, err
	}
	items, err := Installed(dir)
	if err != nil {
		return nil, err
	}
	if !replace && slices.ContainsFunc(list, func(f found) bool { return !slices.ContainsFunc(items, named(f.name)) }) {
		list = slices.DeleteFunc(list, func(f found) bool { return slices.ContainsFunc(items, named(f.name)) })
	}
	for _, f := range list {
		a, err := add(ctx, dir, f, replace, file, "", o, func(to string) error { return copyIn(ctx, file, f, to, o) })
		if err != nil {
			return all, err
		}
		all = append(all, a)
	}
	return all, nil
}

// AddExpected is Add for a file that must hold the data of that name, with a digest of its content
// unless that is "".
func AddExpected(ctx context.Context, dir, file, name, digest string, o Options) (a Added, err error) {
	list, err := detect(ctx, file)
	if err != nil {
		return a, err
	}
	if list[0].name != name {
		return a, fmt.Errorf("%s: contains %s instead of %s", file, list[0].name, name)
	}
	return add(ctx, dir, list[0], false, file, digest, o, func(to string) error { return copyIn(ctx, file, list[0], to, o) })
}

// AddHub is Add for IMDB as the Parquet files of the Hugging Face hub, which become an archive with the
// published content.
func AddHub(ctx context.Context, dir string, files []string, replace bool, o Options) (a Added, err error) {
	hub, err := imdb.OpenHub(ctx, files, o.Progress)
	if err != nil {
		return a, err
	}
	return add(ctx, dir, foundIMDB, replace, hub.String(), dataset.Published("imdb"), o, func(to string) error { return pack(ctx, hub, to) })
}

// add checks the file that write makes, moves it into the data folder under its name and fills the
// cache. shown is its name in messages. The digest of its content must be want, unless that is "".
func add(ctx context.Context, dir string, f found, replace bool, shown, want string, o Options, write func(to string) error) (a Added, err error) {
	err = stage(dir, func(incoming string) error {
		if err := vacant(dir, f, replace); err != nil {
			return err
		}
		staged, final := filepath.Join(incoming, f.file), filepath.Join(dir, f.file)
		if err := write(staged); err != nil {
			return err
		}
		var c *dataset.Corpus
		var err error
		if a, c, err = content(ctx, Item{Kind: f.kind, Name: f.name, Path: staged}, shown, o); err != nil {
			return err
		}
		if want != "" && a.Digest != want {
			return fmt.Errorf("%s: the content of %s has the digest %s instead of %s: damaged, or another version", shown, f.name, a.Digest, want)
		}
		info, err := os.Stat(staged)
		if err != nil {
			return err
		}
		path, err := filepath.Abs(final)
		if err != nil {
			return err
		}
		old := cache.ReadStamp(o.Cache(dir), path)
		if err := fsx.In(dir).Rename(filepath.Join(filepath.Base(incoming), f.file), f.file); err != nil {
			return err
		}
		if old != "" && old != a.Digest {
			o.NotCached(f.name, cache.Forget(o.Cache(dir), old))
		}
		a.Path, a.Bytes = final, info.Size()
		if f.kind == CorpusKind || f.kind == VectorsKind {
			o.NotCached(f.file, remember(o.Cache(dir), path, a.Digest, c))
		}
		return nil
	})
	if err != nil {
		return Added{}, err
	}
	return a, nil
}

// addNamed is add for a name that the user chose. A reserved name is an error.
func addNamed(ctx context.Context, dir string, kind Kind, name string, replace bool, shown, want string, o Options, write func(to string) error) (a Added, err error) {
	if err := CheckName(name); err != nil {
		return a, err
	}
	return add(ctx, dir, found{kind: kind, name: name, file: name + ownSuffix[kind]}, replace, shown, want, o, write)
}

// vacant checks that adding data replaces nothing, unless replace is true. Data of another kind is never
// replaced.
func vacant(dir string, f found, replace bool) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(items, named(f.name))
	if at < 0 {
		return nil
	}
	i, setting := items[at], "data="+f.name
	if i.Kind == VectorsKind {
		setting = "vectors=" + f.name
	}
	switch {
	case i.Kind != f.kind:
		return fmt.Errorf("%s is installed in %s already and is of another kind (%s): choose another name, or remove it first", setting, dir, i.Kind)
	case !replace && CheckName(f.name) == nil:
		return fmt.Errorf("%s is installed in %s already: --force replaces it, another --name keeps both", setting, dir)
	case !replace:
		return fmt.Errorf("%s is installed in %s already, as %s: --force replaces it", setting, dir, filepath.Base(i.Path))
	}
	return nil
}

// remember fills the cache for a file that has its final name.
func remember(cacheDir, path, digest string, c *dataset.Corpus) error {
	state, err := cache.StateOf(path)
	if err != nil {
		return err
	}
	if c != nil {
		if err := cache.WriteCorpus(cacheDir, c); err != nil {
			return err
		}
	}
	return cache.WriteStamp(cacheDir, path, state, digest)
}

// copyIn packs the data that was found in a file or folder.
func copyIn(ctx context.Context, file string, f found, to string, o Options) error {
	if f.kind == VectorsKind {
		return compress(ctx, file, f.member, to, o)
	}
	reviews, err := imdb.Open(file, file, o.Progress)
	if err != nil {
		return err
	}
	return pack(ctx, reviews, to)
}

func pack(ctx context.Context, reviews dataset.Source, to string) error {
	return fsx.WriteFile(to, func(w io.Writer) error { return imdb.Pack(ctx, reviews, w) })
}

// compress copies a file, or a member of an archive, compressed by gzip.
func compress(ctx context.Context, file, member, to string, o Options) error {
	in, shown, err := stream.OpenInside(ctx, file, file, member, vectors.MaxBytes, o.Progress)
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
	a.Added, err = addNamed(ctx, dir, CorpusKind, in.Name, in.Force, in.Name, "", o, func(to string) (err error) {
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

// AddPairs makes a data set of the user's sentence pairs and puts it into the data folder. The test
// part is in.Test or comes from a column split; without them a fraction of the sources is held out,
// each with all its translations. AddPairs ignores Classes, Unlabelled and Columns of in. It locks
// the folder.
func AddPairs(ctx context.Context, dir string, in own.Data, o Options) (a PairsAdded, err error) {
	a.Added, err = addNamed(ctx, dir, PairsKind, in.Name, in.Force, in.Name, "", o, func(to string) (err error) {
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
	a.Added, err = addNamed(ctx, dir, ProbeKind, in.Name, in.Force, in.Name, in.Digest, o, func(to string) error {
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
	return addNamed(ctx, dir, VectorsKind, name, force, file, "", o, func(to string) error { return compress(ctx, file, "", to, o) })
}
