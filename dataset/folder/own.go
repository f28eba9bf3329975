package folder

import (
	"os"
	"path/filepath"
	"strings"
)

// The suffixes of the files with the user's reviews, sentence pairs and minimal pairs.
const (
	ReviewsSuffix = ".reviews.jsonl.gz"
	PairsSuffix   = ".pairs.jsonl.gz"
	ProbeSuffix   = ".probe.jsonl.gz"
)

// installedOwn lists the user's data sets in the data folder.
func installedOwn(dir string) ([]Item, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var items []Item
	for _, e := range entries { // in the order of their names
		kind := CorpusKind
		name, ok := strings.CutSuffix(e.Name(), ReviewsSuffix)
		if !ok {
			kind = PairsKind
			name, ok = strings.CutSuffix(e.Name(), PairsSuffix)
		}
		if !ok {
			kind = ProbeKind
			name, ok = strings.CutSuffix(e.Name(), ProbeSuffix)
		}
		if !ok || CheckName(name) != nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // which follows links
			items = append(items, Item{kind, name, path, info.Size()})
		}
	}
	return items, nil
}
