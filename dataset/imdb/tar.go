package imdb

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

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

// Reviews implements Source. Files beside the reviews (README, features, links
// to web pages) are passed over; links, devices and entries that point out of
// the archive's folder are errors.
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
	// The checksum stands at the end of the compressed stream.
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
		if err := safeEntry(h); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		root, folder, id, ok, err := reviewName(path.Clean(h.Name))
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if !ok {
			continue
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

// safeEntry refuses what could only do harm if it were unpacked.
func safeEntry(h *tar.Header) error {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir, tar.TypeXGlobalHeader:
	case tar.TypeSymlink, tar.TypeLink:
		return errors.New("is a link; a data set holds plain files only")
	default:
		return errors.New("is a device or special file; a data set holds plain files only")
	}
	name := strings.ReplaceAll(h.Name, `\`, "/")
	if path.IsAbs(name) || len(name) > 1 && name[1] == ':' {
		return errors.New("has an absolute path")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return errors.New(`has ".." in its path`)
		}
	}
	return nil
}
