package runs

import (
	"path/filepath"

	"imdbexp/internal/fsx"
)

// folderAt is the folder of a run by its path, which is that of a folder of runs, NAME and
// ID: the first may be a link, the other two may not, nor may anything in them. Of a path
// that is shorter, such as ".", only what is there counts.
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

// storeIn is the store of a folder of runs.
func storeIn(dir string) fsx.Dir { return fsx.In(dir, storeFolder) }
