package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// imdbDir reads the unpacked aclImdb folder.
type imdbDir struct {
	path   string
	limits Limits
}

// String implements Source.
func (d imdbDir) String() string { return d.path }

// Classes implements Source.
func (imdbDir) Classes() []string { return imdbClasses }

// Reviews implements Source. Files are opened through an os.Root: a link that
// points out of the folder is an error.
func (d imdbDir) Reviews(ctx context.Context, yield func(Part, Review) error) error {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return err
	}
	defer root.Close()
	budget := d.limits.orDefault()
	var buf []byte
	for _, f := range imdbFolders {
		entries, err := fs.ReadDir(root.FS(), f.path)
		if errors.Is(err, fs.ErrNotExist) && f.part == Extra {
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
			_, _, id, ok, err := imdbName(name)
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
			if err := budget.spend(int64(len(buf))); err != nil {
				return fmt.Errorf("%s: %w", d.path, err)
			}
			text := string(buf)
			if err := checkText(where, text); err != nil {
				return err
			}
			if err := yield(f.part, Review{ID: id, Text: text, Label: f.label}); err != nil {
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
			return buf, tooLong(limit)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// spend takes one review of n bytes from what is left.
func (l *Limits) spend(n int64) error {
	l.TotalBytes -= n
	l.Reviews--
	if l.TotalBytes < 0 || l.Reviews < 0 {
		return errors.New("more reviews or more text than can be read")
	}
	return nil
}

func tooLong(limit int64) error {
	return fmt.Errorf("longer than %d bytes, the limit for one review", limit)
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
