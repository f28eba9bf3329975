package imdb

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
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
	budget := d.limits.OrDefault()
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		where := d.path + "/" + name
		_, folder, id, ok, badName := reviewName(name)
		switch {
		case err == nil && e.IsDir() && !ok, err == nil && badName == nil && !ok:
			return ctx.Err()
		case err == nil && badName != nil:
			err = badName
		case err == nil && !e.Type().IsRegular():
			err = errIrregular
		}
		var text []byte
		if err == nil {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil && info.Size() > budget.ReviewBytes {
				err = stream.TooLong(budget.ReviewBytes)
			}
		}
		if err == nil {
			text, err = root.ReadFile(name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := budget.Spend(int64(len(text))); err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
		if err := stream.CheckText(where, string(text)); err != nil {
			return err
		}
		return yield(folder.part, dataset.Review{ID: id, Text: string(text), Label: folder.label})
	})
}
