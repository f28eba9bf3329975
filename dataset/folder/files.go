package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/fsx"
)

// filesOf returns the data sets or vectors that a name means, and their files with unfinished
// downloads.
func filesOf(dir, name string, items []Item) (names, files []string, err error) {
	var candidates []string
	switch {
	case name == "imdb":
		names, candidates = []string{name}, append(candidates, imdbFiles...)
	case name == "glove":
		for _, dim := range GloveDims {
			names = append(names, GloveName(dim))
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
		i := slices.IndexFunc(GloveDims, func(dim int) bool { return GloveName(dim) == name })
		if i < 0 {
			return nil, nil, nil
		}
		for _, item := range items {
			if item.Name == name && filepath.Base(item.Path) == "glove.6B.zip" {
				return nil, nil, fmt.Errorf("%s is in %s with vectors of other dimensions: exp data remove glove removes them all", name, item.Path)
			}
		}
		names, candidates = []string{name}, gloveFiles(GloveDims[i])
	}
	for _, c := range candidates {
		if _, err := os.Lstat(filepath.Join(dir, c)); err == nil {
			files = append(files, filepath.Join(dir, c))
		}
	}
	parts, err := fsx.In(dir, DownloadFolder).Entries()
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

// DownloadFolder is the folder of unfinished downloads in the data folder.
const DownloadFolder = "downloads"

// DownloadName returns the data that a file in DownloadFolder is for: imdb, glove50, glove
// for the whole archive of vectors, minimal for the published minimal pairs, or "".
func DownloadName(file string) string {
	if strings.HasPrefix(file, "aclImdb") {
		return "imdb"
	}
	for _, dim := range GloveDims {
		if strings.HasPrefix(file, fmt.Sprintf("glove.6B.%dd.", dim)) {
			return GloveName(dim)
		}
	}
	if strings.HasPrefix(file, "glove.6B.") {
		return "glove"
	}
	if strings.HasPrefix(file, "cad_") || strings.HasPrefix(file, "cs_") {
		return "minimal"
	}
	return ""
}
