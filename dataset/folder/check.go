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
	Digest    string // of the content as it is now
	Recorded  string // when it was added; "" if unknown
	Published string // as published; "" if unknown
	Err       error  // set if it cannot be read, or has changed since it was added
}

// Check reads everything that is installed, without the cache, and compares the digests with
// the recorded ones. It calls hear for each item and returns the error of the first damaged one.
func Check(ctx context.Context, dir string, o Options, hear func(Checked)) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	noted, err := Records(dir)
	if err != nil {
		return err
	}
	var first error
	for _, i := range items {
		c := Checked{Item: i, Published: dataset.Published(i.Name), Recorded: noted[filepath.Base(i.Path)].Digests[i.Name]}
		c.Digest, c.Err = contentDigest(ctx, dir, i, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Err == nil && c.Recorded != "" && c.Digest != c.Recorded {
			c.Err = contentError(i.Path, i.Name, c.Recorded, c.Digest)
		}
		hear(c)
		if first == nil {
			first = c.Err
		}
	}
	return first
}

// contentDigest reads an item and returns its digest.
func contentDigest(ctx context.Context, dir string, i Item, o Options) (digest string, err error) {
	found := Found{Kind: i.Kind, Name: i.Name, members: []string{""}}
	if i.Kind == VectorsKind {
		if i.Path, found.members[0], err = findVectors(dir, i.Name); err != nil {
			return "", err
		}
	}
	a, sorted, err := content(ctx, dir, found, i.Path, i.Path, o)
	if sorted != nil {
		err = sorted.Close()
	}
	return a.Digest, err
}

// content reads every byte of a file and describes it. Messages call the file shown. A corpus is also
// returned, for the cache; the caller closes it.
func content(ctx context.Context, dir string, f Found, path, shown string, o Options) (a Added, sorted *dataset.Sorted, err error) {
	a.Kind, a.Name = f.Kind, f.Name
	a.stamps, a.Digests = map[string]string{}, map[string]string{}
	switch f.Kind {
	case PairsKind:
		train, test, err := pairs.Read(ctx, path, shown, o.Progress)
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Train, a.Test = pairs.Digest(train, test), len(train), len(test)
	case ProbeKind:
		p, err := probe.Open(ctx, path, shown, o.Progress)
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Test = p.Digest(), len(p.Pairs)
	case CorpusKind:
		tok, err := token.Get(o.Tokenizer)
		var src dataset.Source
		if err == nil {
			src, err = File(f.Name, path, shown, o)
		}
		if err == nil {
			sorted, err = dataset.Sort(ctx, f.Name, src, tok, cache.Scratch(o.Cache(dir)))
		}
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.stamps[""] = sorted.Digest, sorted.Digest
		a.Train, a.Test, a.Extra = sorted.Reviews(dataset.Train), sorted.Reviews(dataset.Test), sorted.Reviews(dataset.Extra)
	case VectorsKind:
		for i, member := range f.members {
			v, err := vectors.Read(ctx, path, vectors.Options{Member: member, Keep: []string{}, Shown: shown, Progress: o.Progress, Warn: o.Warn})
			if err == nil && len(f.Dims) > 0 && v.Dim != f.Dims[i] {
				err = fmt.Errorf("%s: has vectors of %d dimensions instead of %d", v.Name, v.Dim, f.Dims[i])
			}
			if err != nil {
				return a, nil, err
			}
			a.Digest, a.Words, a.Dims = v.Digest, v.Total, append(a.Dims, v.Dim)
			a.stamps[member], a.Digests[f.names()[i]] = v.Digest, v.Digest
		}
		return a, nil, nil
	}
	a.Digests[f.Name] = a.Digest
	return a, sorted, nil
}

// contentError is the error for a readable file whose digest differs from the expected one.
func contentError(file, name, want, got string) error {
	return fmt.Errorf("%s: the content of %s has the digest %s instead of %s: damaged, or another version", file, name, got, want)
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
			_, member := publishedFiles(i.Name)
			return i.Name == name || name == "glove" && member != ""
		})
		switch {
		case i < 0 && len(gone) == 0:
			var have []string
			for _, i := range items {
				have = append(have, i.Name)
			}
			return nil, fmt.Errorf("%s is not installed in %s. Installed: %s", name, dir, cmp.Or(strings.Join(have, ", "), "nothing"))
		case i < 0 || len(gone) > 0 && filepath.Base(items[i].Path) == allGloVe && name != "glove":
			return gone, nil
		case filepath.Base(items[i].Path) == allGloVe && name != "glove":
			return nil, fmt.Errorf("%s is in %s with vectors of other dimensions: exp data remove glove removes them all", name, items[i].Path)
		}
		if err := removeFile(dir, items[i].Path); err != nil {
			return gone, err
		}
		gone = append(gone, items[i].Path)
	}
}

// removeFile removes a file with its cache and its record. Without a record some of the cache stays.
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
	cacheDir, name := filepath.Join(dir, "cache"), filepath.Base(path)
	all := cache.RemoveStamp(cacheDir, file, "")
	for _, dim := range GloveDims {
		all = errors.Join(all, cache.RemoveStamp(cacheDir, file, gloveText(dim)))
	}
	noted, _ := Records(dir)
	for _, digest := range noted[name].Digests {
		all = errors.Join(all, cache.Forget(cacheDir, digest))
	}
	if all == nil {
		all = fsx.In(dir, name).RemoveAll()
	}
	if all == nil {
		all = writeRecord(dir, name, nil)
	}
	return all
}
