package imdb

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	var buf []byte
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
				return fmt.Errorf("%s: is a %s, not a plain file", where, kindOf(e.Type()))
			}
			buf, err = readAll(buf[:0], root, name, budget.ReviewBytes)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			if err := budget.Spend(int64(len(buf))); err != nil {
				return fmt.Errorf("%s: %w", d.path, err)
			}
			text := string(buf)
			if err := stream.CheckText(where, text); err != nil {
				return err
			}
			if err := yield(f.part, dataset.Review{ID: id, Text: text, Label: f.label}); err != nil {
				return err
			}
		}
	}
	return nil
}

// readAll appends a file to buf, whose room is used again from file to file.
func readAll(buf []byte, root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, 4096+len(buf))...)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return buf, stream.TooLong(limit)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "link"
	case m.IsDir():
		return "folder"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
