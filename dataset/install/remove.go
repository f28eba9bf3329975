package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/fsx"
)

// Remove takes something installed out of the data folder, with what was begun
// to be fetched of it and what the cache keeps about it: imdb, own data or
// vectors by their name, glove50, or glove for GloVe of all dimensions. It
// returns the files that are gone, without those of the cache.
func Remove(dir, name string) (gone []string, err error) {
	if name == "sample" || name == Phrases {
		return nil, fmt.Errorf("%s is part of the program and cannot be removed", name)
	}
	items, err := Installed(dir)
	if err != nil {
		return nil, err
	}
	names, files, err := belonging(dir, name, items)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		have := make([]string, len(items))
		for i := range items {
			have[i] = items[i].Name
		}
		if len(have) == 0 {
			have = []string{"nothing"}
		}
		return nil, fmt.Errorf("%s is not installed in %s. Installed: %s", name, dir, strings.Join(have, ", "))
	}
	unlock, err := Lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, f := range files {
		if err := forget(filepath.Join(dir, "cache"), dir, f, names); err != nil {
			return gone, err
		}
		if err := os.RemoveAll(f); err != nil {
			return gone, err
		}
		gone = append(gone, f)
		if err := record(dir, filepath.Base(f), nil); err != nil {
			return gone, err
		}
	}
	_ = os.Remove(filepath.Join(dir, DownloadFolder)) // if it is empty now
	return gone, nil
}

// belonging returns what a name stands for, and the files of that.
func belonging(dir, name string, items []Item) (names, files []string, err error) {
	var candidates []string
	switch {
	case name == "imdb":
		names, candidates = []string{name}, append(candidates, imdbNames...)
	case name == "glove":
		for _, dim := range GloveDims {
			names = append(names, gloveName(dim))
			candidates = append(candidates, gloveFiles(dim)...)
		}
		candidates = append(candidates, "glove.6B.zip")
	case !strings.HasPrefix(name, "glove"):
		for _, item := range items {
			if item.Name == name {
				return []string{name}, []string{item.Path}, nil
			}
		}
		return nil, nil, nil
	default:
		i := slices.IndexFunc(GloveDims, func(dim int) bool { return gloveName(dim) == name })
		if i < 0 {
			return nil, nil, nil
		}
		for _, item := range items {
			if item.Name == name && filepath.Base(item.Path) == "glove.6B.zip" {
				return nil, nil, fmt.Errorf("%s lies in %s with vectors of other dimensions: exp data remove glove takes them all away", name, item.Path)
			}
		}
		names, candidates = []string{name}, gloveFiles(GloveDims[i])
	}
	for _, c := range candidates {
		if _, err := os.Lstat(filepath.Join(dir, c)); err == nil {
			files = append(files, filepath.Join(dir, c))
		}
	}
	parts, err := os.ReadDir(filepath.Join(dir, DownloadFolder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	for _, p := range parts {
		if n := DownloadName(p.Name()); slices.Contains(names, n) || n == name {
			files = append(files, filepath.Join(dir, DownloadFolder, p.Name()))
		}
	}
	return names, files, nil
}

// gloveFiles are the names of files that hold vectors of one dimension only.
func gloveFiles(dim int) []string {
	var out []string
	for _, g := range gloveNames(dim) {
		if g.file != "glove.6B.zip" {
			out = append(out, g.file)
		}
	}
	return out
}

// DownloadName returns what a file of the folder of downloads belongs to: imdb,
// glove50, glove for the whole archive of vectors, or "".
func DownloadName(file string) string {
	if strings.HasPrefix(file, "aclImdb") {
		return "imdb"
	}
	for _, dim := range GloveDims {
		if strings.HasPrefix(file, fmt.Sprintf("glove.6B.%dd.", dim)) {
			return gloveName(dim)
		}
	}
	if strings.HasPrefix(file, "glove.6B.") {
		return "glove"
	}
	return ""
}

// forget removes what the cache keeps about a file.
func forget(cache, dir, file string, names []string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	noted, _ := Records(dir) // unreadable: the cache keeps a little more than it needs
	digests := noted[filepath.Base(file)].Digests
	var all error
	members := []string{""}
	for _, dim := range GloveDims {
		members = append(members, fmt.Sprintf("glove.6B.%dd.txt", dim))
	}
	for _, m := range members {
		all = errors.Join(all, fsx.RemoveFile(stampFile(cache, path, m)))
	}
	for _, n := range names {
		all = errors.Join(all, forgetDigest(cache, digests[n]))
	}
	return all
}

// forgetDigest removes what the cache keeps of a content.
func forgetDigest(cache, digest string) (all error) {
	if len(digest) < 16 || strings.ContainsAny(digest, `*?[\/`) {
		return nil
	}
	for _, pattern := range []string{"corpus-%s-*.bin", "extra-%s-*.bin", "vectors-%s-*.bin", "vectors-*-%s-*.bin"} {
		found, _ := filepath.Glob(filepath.Join(cache, fmt.Sprintf(pattern, digest[:16])))
		for _, f := range found {
			all = errors.Join(all, fsx.RemoveFile(f))
		}
	}
	return all
}
