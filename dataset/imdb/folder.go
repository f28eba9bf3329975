package imdb

import (
	"context"
	"io/fs"
	"os"

	"imdbexp/dataset"
)

// folder reads the unpacked aclImdb folder.
type folder struct {
	path   string
	limits dataset.Limits
}

// String implements Source.
func (d folder) String() string { return d.path }

// Classes implements Source.
func (folder) Classes() []string { return classes }

// Reviews implements Source. Files are opened through an os.Root: a link that
// points out of the folder is an error.
func (d folder) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return err
	}
	defer root.Close()
	r := reader{file: d.path, limits: d.limits.OrDefault(), yield: yield}
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && !IsReview(name) {
			return err
		}
		if !e.Type().IsRegular() {
			return r.entry(ctx, name, d.path+"/"+name, false, 0, nil)
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return r.entry(ctx, name, d.path+"/"+name, true, info.Size(), f)
	})
}
