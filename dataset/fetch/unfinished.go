package fetch

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/internal/fsx"
)

// Unfinished is an unfinished download.
type Unfinished struct {
	Name  string // imdb, glove50; glove for a whole glove.6B.zip
	Path  string
	Bytes int64 // of the file now
	Total int64 // of the whole file, −1 unknown
}

// ListUnfinished returns the unfinished downloads of a data folder. Fetching continues
// them.
func ListUnfinished(dir string) ([]Unfinished, error) {
	downloads := filepath.Join(dir, folder.DownloadFolder)
	entries, err := fsx.In(dir, folder.DownloadFolder).Entries()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Unfinished
	for _, e := range entries {
		name := folder.DownloadName(e.Name())
		if name == "" || strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed since
		}
		u := Unfinished{name, filepath.Join(downloads, e.Name()), info.Size(), -1}
		p := partial{path: u.Path}
		if b, err := fsx.In(dir, folder.DownloadFolder).ReadFile(e.Name()+".json", 1<<16); err == nil && json.Unmarshal(b, &p.from) == nil {
			u.Total = p.want()
		}
		out = append(out, u)
	}
	return out, nil
}
