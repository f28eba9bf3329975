package imdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

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
	for _, f := range parts_ {
		entries, err := fs.ReadDir(root.FS(), f.path)
		if errors.Is(err, fs.ErrNotExist) && f.part == dataset.Extra {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := path.Join(f.path, e.Name())
			_, _, id, ok, err := reviewName(name)
			if err != nil {
				return fmt.Errorf("%s/%s: %w", d.path, name, err)
			}
			if !ok {
				continue
			}
			where := d.path + "/" + name
			if !e.Type().IsRegular() {
				return fmt.Errorf("%s: %w", where, errIrregular)
			}
			info, err := e.Info()
			if err == nil && info.Size() > budget.ReviewBytes {
				err = stream.TooLong(budget.ReviewBytes)
			}
			var text []byte
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
			if err := yield(f.part, dataset.Review{ID: id, Text: string(text), Label: f.label}); err != nil {
				return err
			}
		}
	}
	return nil
}
