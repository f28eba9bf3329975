package folder

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/fsx"
)

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
