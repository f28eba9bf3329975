package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"imdbexp/internal/fsx"
)

// Record describes the content of a file when it was added.
type Record struct {
	Digests map[string]string `json:"digests"` // of the content, by name (imdb, glove50)
	Train   int               `json:"train,omitempty"`
	Test    int               `json:"test,omitempty"`
	Extra   int               `json:"extra,omitempty"`
	Words   int               `json:"words,omitempty"`
}

// recordFile has the records by file name. Unlike the cache it cannot be made again.
const recordFile = "installed.json"

// records returns all records by file name. A file that was put into the folder by hand has none.
func Records(dir string) (map[string]Record, error) {
	if dir == "" {
		return map[string]Record{}, nil
	}
	path := filepath.Join(dir, recordFile)
	b, err := fsx.In(dir).ReadFile(recordFile, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Record{}, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]Record{}
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s: %w: remove it; it is written again when something is added", path, err)
	}
	return all, nil
}

// writeRecord writes the record of a file, or removes it if r is nil. The caller holds the
// lock of the folder.
func writeRecord(dir, file string, r *Record) error {
	all, err := Records(dir)
	if err != nil {
		return err
	}
	if _, there := all[file]; !there && r == nil {
		return nil
	}
	delete(all, file)
	if r != nil {
		all[file] = *r
	}
	for name := range all {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) && name != file {
			delete(all, name)
		}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return fsx.In(dir).WriteBytes(recordFile, append(b, '\n'))
}
