package runs

import (
	"path/filepath"

	"imdbexp/internal/fsx"
)

// Maximum sizes of files that are read into memory, one for each kind. They are far above
// those of any model and refuse a file that cannot be a run's.
const (
	maxConfig      = 128 << 10 // parsing YAML takes time quadratic in the number of keys
	maxEnvironment = 16 << 20
	maxText        = 1 << 30  // metrics, timings, entropies, predictions, translations
	maxCheckpoint  = 16 << 30 // weights with the state of their optimiser
	maxStored      = 4 << 30  // unpacked tables of words and vectors
)

// folderAt returns the folder DIR/NAME/ID of a run. DIR may be a link; NAME, ID and the
// files in them may not. A shorter path, such as ".", has fewer levels.
func folderAt(path string) fsx.Dir {
	var below []string
	base := filepath.Clean(path)
	for range 2 {
		name := filepath.Base(base)
		if !filepath.IsLocal(name) || name == "." {
			break
		}
		below, base = append([]string{name}, below...), filepath.Dir(base)
	}
	return fsx.In(base, below...)
}

func (r *Run) folder() fsx.Dir { return folderAt(r.Path) }

func (w *Writer) folder() fsx.Dir { return folderAt(w.path) }

// storeIn returns the store of a folder of runs.
func storeIn(dir string) fsx.Dir { return fsx.In(dir, storeFolder) }
