package own

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

// folderParts returns the inputs of a folder that has the folders train and test, these two
// first. passed lists the other folders and text files next to them, which are not read.
// Folders may have any name that a column of parts may hold. There are no parts if train
// or test is missing.
func folderParts(file string) (parts []input, passed []string, err error) {
	train, test, ok := tables.Parts(file)
	if !ok {
		return nil, nil, nil
	}
	entries, err := os.ReadDir(file)
	if err != nil {
		return nil, nil, err
	}
	parts = []input{{file: train}, {file: test, part: dataset.Test}}
	for _, e := range entries {
		path := filepath.Join(file, e.Name())
		info, err := os.Stat(path)
		if err != nil || strings.HasPrefix(e.Name(), ".") || slices.ContainsFunc(parts, func(p input) bool { return same(info, p.file) }) {
			continue
		}
		part, known := splits[strings.ToLower(e.Name())]
		switch {
		case info.IsDir() && known:
			parts = append(parts, input{file: path, part: part, validation: part == dataset.Train})
		case info.IsDir() || tables.Named(e.Name()):
			passed = append(passed, path)
		}
	}
	return parts, passed, nil
}

// same reports whether a file is the one that info is of: where small and capital letters
// are the same, Train is train.
func same(info os.FileInfo, file string) bool {
	other, err := os.Stat(file)
	return err == nil && os.SameFile(info, other)
}
