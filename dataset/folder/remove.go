package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/fsx"
)

// Remove removes data from the data folder, with its cache: imdb, own data or vectors by name, glove50,
// or glove for GloVe of all dimensions. It returns the removed files, without those of the cache.
func Remove(dir, name string) (gone []string, err error) {
	if name == "sample" || name == phrases.Name {
		return nil, fmt.Errorf("%s is part of the program and cannot be removed", name)
	}
	items, err := Installed(dir)
	if err != nil {
		return nil, err
	}
	names, files, err := filesOf(dir, name, items)
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
		if err := fsx.In(dir, filepath.Base(f)).RemoveAll(); err != nil {
			return gone, err
		}
		gone = append(gone, f)
		if err := writeRecord(dir, filepath.Base(f), nil); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// filesOf returns the data sets or vectors that a name means, and their files.
func filesOf(dir, name string, items []Item) (names, files []string, err error) {
	of, _ := publishedFiles(name)
	i := slices.IndexFunc(items, named(name))
	switch {
	case name == "glove":
		for _, dim := range GloveDims {
			names = append(names, GloveName(dim))
		}
	case of != nil && i >= 0 && filepath.Base(items[i].Path) == allGloVe:
		return nil, nil, fmt.Errorf("%s is in %s with vectors of other dimensions: exp data remove glove removes them all", name, items[i].Path)
	case of != nil:
		names = []string{name}
	case i >= 0:
		return []string{name}, []string{items[i].Path}, nil
	default:
		return nil, nil, nil
	}
	for _, n := range names {
		of, _ := publishedFiles(n)
		for _, file := range of {
			path := filepath.Join(dir, file)
			if _, err := os.Lstat(path); err == nil && (file != allGloVe || name == "glove") && !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	return names, files, nil
}

// DownloadFolder is the folder of unfinished downloads in the data folder.
const DownloadFolder = "downloads"

// forget removes the cache of a file.
func forget(cacheDir, dir, file string, names []string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	all := cache.RemoveStamp(cacheDir, path, "")
	for _, dim := range GloveDims {
		all = errors.Join(all, cache.RemoveStamp(cacheDir, path, gloveText(dim)))
	}
	noted, _ := Records(dir) // without records some of the cache stays
	for _, n := range names {
		all = errors.Join(all, cache.Forget(cacheDir, noted[filepath.Base(file)].Digests[n]))
	}
	return all
}
