package folder

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/fsx"
)

// Remove removes data from the data folder, with its unfinished downloads and its cache:
// imdb, own data or vectors by name, glove50, or glove for GloVe of all dimensions. It
// returns the removed files, without those of the cache.
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
		if err := within(dir, f).RemoveAll(); err != nil {
			return gone, err
		}
		gone = append(gone, f)
		if err := writeRecord(dir, filepath.Base(f), nil); err != nil {
			return gone, err
		}
	}
	_ = fsx.In(dir, DownloadFolder).RemoveEmpty() // fails unless it is empty
	return gone, nil
}

// within returns a file or folder in the data folder or its downloads.
func within(dir, path string) fsx.Dir {
	if in := filepath.Dir(path); filepath.Clean(in) != filepath.Clean(dir) {
		return fsx.In(dir, filepath.Base(in), filepath.Base(path))
	}
	return fsx.In(dir, filepath.Base(path))
}

// forget removes the cache of a file.
func forget(cacheDir, dir, file string, names []string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	noted, _ := Records(dir) // without records some of the cache stays
	digests := noted[filepath.Base(file)].Digests
	var all error
	members := []string{""}
	for _, dim := range GloveDims {
		members = append(members, fmt.Sprintf("glove.6B.%dd.txt", dim))
	}
	for _, m := range members {
		all = errors.Join(all, cache.RemoveStamp(cacheDir, path, m))
	}
	for _, n := range names {
		all = errors.Join(all, cache.Forget(cacheDir, digests[n]))
	}
	return all
}
