package imdb

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// archive streams the archive of the aclImdb folder, .tar.gz or .tar: the
// official aclImdb_v1.tar.gz as well as one packed from the folder by hand.
// Nothing is ever unpacked to disk.
type archive struct {
	path     string
	shown    string // what messages call the file
	limits   dataset.Limits
	progress dataset.Progress
}

// String implements Source.
func (t archive) String() string { return t.shown }

// Classes implements Source.
func (archive) Classes() []string { return classes }

// errIrregular is the error for a review that is a link, a folder or a device.
var errIrregular = errors.New("is not a regular file; a data set holds its reviews in regular files")

// Reviews implements Source. It skips files that are not reviews, such as README. A review that
// is a link or a device is an error.
func (t archive) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	limits := t.limits.OrDefault()
	in, err := stream.Open(ctx, t.path, t.shown, limits.TotalBytes, t.progress)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := readTar(ctx, t.shown, in, limits, yield); err != nil {
		return err
	}
	// The end of the compressed stream has the checksum.
	if _, err := io.Copy(io.Discard, in); err != nil {
		return stream.Damaged(t.shown, "its end", err)
	}
	return nil
}

// readTar reads the entries of a tar stream; file is for messages.
func readTar(ctx context.Context, file string, in io.Reader, limits dataset.Limits, yield func(dataset.Part, dataset.Review) error) error {
	r := tar.NewReader(in)
	var buf []byte
	top, last, any := "", "its beginning", false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return stream.Damaged(file, last, err)
		}
		last = h.Name
		where := file + ": entry " + stream.Quote(h.Name)
		if h.Typeflag == tar.TypeDir {
			continue
		}
		root, folder, id, ok, err := reviewName(path.Clean(h.Name))
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if !ok {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s: %w", where, errIrregular)
		}
		if any && root != top {
			return fmt.Errorf("%s: outside the folder %q that holds the reviews before it: pack one data set alone", where, top)
		}
		top, any = root, true
		if h.Size > limits.ReviewBytes {
			return fmt.Errorf("%s: %w", where, stream.TooLong(limits.ReviewBytes))
		}
		if int64(cap(buf)) < h.Size {
			buf = make([]byte, h.Size+h.Size/2)
		}
		if _, err := io.ReadFull(r, buf[:h.Size]); err != nil {
			return stream.Damaged(file, h.Name, err)
		}
		if limits.Reviews--; limits.Reviews < 0 {
			return fmt.Errorf("%s: more reviews than can be read", where)
		}
		text := string(buf[:h.Size])
		if err := stream.CheckText(where, text); err != nil {
			return err
		}
		if err := yield(folder.part, dataset.Review{ID: id, Text: text, Label: folder.label}); err != nil {
			return err
		}
	}
	return nil
}
