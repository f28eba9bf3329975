package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/fsx"
)

// Remove takes something installed out of the data folder, with what was begun
// to be fetched of it and what the cache keeps about it: imdb, own data or
// vectors by their name, glove50, or glove for GloVe of all dimensions. It
// returns the files that are gone, without those of the cache.
func Remove(dir, name string) (gone []string, err error) {
	if name == "sample" || name == phrases.Name {
		return nil, fmt.Errorf("%s is part of the program and cannot be removed", name)
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return nil, err
	}
	names, files, err := folder.Belonging(dir, name, items)
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
	unlock, err := folder.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, f := range files {
		if err := forget(filepath.Join(dir, "cache"), dir, f, names); err != nil {
			return gone, err
		}
		if err := lying(dir, f).RemoveAll(); err != nil {
			return gone, err
		}
		gone = append(gone, f)
		if err := folder.WriteRecord(dir, filepath.Base(f), nil); err != nil {
			return gone, err
		}
	}
	_ = fsx.In(dir, folder.DownloadFolder).RemoveEmpty() // if it is
	return gone, nil
}

// lying is a file or folder of the data folder, or of its downloads, by its path.
func lying(dir, path string) fsx.Dir {
	if in := filepath.Dir(path); filepath.Clean(in) != filepath.Clean(dir) {
		return fsx.In(dir, filepath.Base(in), filepath.Base(path))
	}
	return fsx.In(dir, filepath.Base(path))
}

// forget removes what the cache keeps about a file.
func forget(cacheDir, dir, file string, names []string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	noted, _ := folder.Records(dir) // unreadable: the cache keeps a little more than it needs
	digests := noted[filepath.Base(file)].Digests
	var all error
	members := []string{""}
	for _, dim := range folder.GloveDims {
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
