package imdb

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

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
	t, last := tar.NewReader(in), "its beginning"
	r := reader{file: file, limits: limits, yield: yield}
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return stream.Damaged(file, last, err)
		}
		if last = h.Name; h.Typeflag == tar.TypeDir {
			continue
		}
		where := file + ": entry " + stream.Quote(h.Name)
		if err := r.entry(ctx, path.Clean(h.Name), where, h.Typeflag == tar.TypeReg, h.Size, t); err != nil {
			return err
		}
	}
}

// reader yields the reviews among the files of a data set.
type reader struct {
	file   string
	limits dataset.Limits // left
	yield  func(dataset.Part, dataset.Review) error
	buf    []byte
	top    *string // the folder of the reviews so far
}

// entry takes a file of a name below the data set, if it is a review. where names it in messages.
func (r *reader) entry(ctx context.Context, name, where string, regular bool, size int64, in io.Reader) error {
	top, folder, id, ok, err := reviewName(name)
	switch {
	case err == nil && !ok:
		return ctx.Err()
	case err != nil:
	case !regular:
		err = errors.New("is not a regular file; a data set holds its reviews in regular files")
	case r.top != nil && *r.top != top:
		err = fmt.Errorf("outside the folder %q that holds the reviews before it: pack one data set alone", *r.top)
	case size > r.limits.ReviewBytes:
		err = stream.TooLong(r.limits.ReviewBytes)
	default:
		err = errors.Join(ctx.Err(), r.limits.Spend(size))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	r.top = &top
	r.buf = slices.Grow(r.buf[:0], int(size))[:size]
	if _, err := io.ReadFull(in, r.buf); err != nil {
		return stream.Damaged(r.file, name, err)
	}
	text := string(r.buf)
	if err := stream.CheckText(where, text); err != nil {
		return err
	}
	return r.yield(folder.part, dataset.Review{ID: id, Text: text, Label: folder.label})
}
