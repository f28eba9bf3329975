package stream

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
)

// IsZip reports whether a file begins as a zip does.
func IsZip(file string) (bool, error) {
	head, err := FileHead(file, 4)
	return packing(head) == ".zip", err
}

// ZipHolds reports whether a zip has a member of that name.
func ZipHolds(file, member string) bool {
	names, _ := ZipNames(file)
	return slices.ContainsFunc(names, func(n string) bool { return path.Base(n) == member })
}

// zipFiles returns the members of a zip except folders and the files that macOS adds.
func zipFiles(z *zip.Reader) []*zip.File {
	var files []*zip.File
	for _, f := range z.File {
		if !f.FileInfo().IsDir() && !strings.HasPrefix(f.Name, "__MACOSX/") {
			files = append(files, f)
		}
	}
	return files
}

// zipMember finds a member by its name without folders, or the only one.
func zipMember(z *zip.Reader, member string) (*zip.File, error) {
	var names []string
	var found *zip.File
	for _, f := range zipFiles(z) {
		names = append(names, f.Name)
		if member == "" || path.Base(f.Name) == path.Base(member) {
			found = f
		}
	}
	switch {
	case found == nil && member != "":
		return nil, fmt.Errorf("holds no %s but %s", member, Listed(names))
	case found == nil:
		return nil, errors.New("is an empty zip")
	case member == "" && len(names) > 1:
		return nil, fmt.Errorf("holds several files: unpack the one that you need, out of %s", Listed(names))
	case !found.Mode().IsRegular():
		return nil, fmt.Errorf("entry %s is not a regular file", Quote(found.Name))
	}
	return found, nil
}

// ZipNames returns the names of the first plain files in a zip.
func ZipNames(file string) ([]string, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, Damaged(file, "its beginning", err)
	}
	defer z.Close()
	var names []string
	for _, f := range zipFiles(&z.Reader) {
		if f.Mode().IsRegular() && len(names) < maxMembers {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

// maxMembers is the maximum number of members of a zip that are opened to detect vectors.
const maxMembers = 100

// OpenInside opens a member of a zip, "" for the only one, or of a tar archive, or any other file as Open does. It
// returns the name for messages, in which the file is called shown, or its path if shown is "".
func OpenInside(ctx context.Context, file, shown, member string, limit int64, progress func(done, total int64)) (in io.ReadCloser, name string, err error) {
	name = cmp.Or(shown, file)
	archive, err := IsZip(file)
	if err != nil {
		return nil, name, err
	}
	if !archive {
		in, err = Open(ctx, file, name, limit, progress)
		if err == nil && member != "" {
			in, err = openInTar(name, in, member)
		}
		return in, name, err
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, name, Damaged(name, "its beginning", err)
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader) // faster than the standard library's
	f, err := zipMember(&z.Reader, member)
	if err != nil {
		z.Close()
		return nil, name, fmt.Errorf("%s: %w", name, err)
	}
	name += "#" + f.Name
	r, err := f.Open()
	if err != nil {
		z.Close()
		return nil, name, Damaged(name, "its beginning", err)
	}
	m := &Meter{Context: ctx, R: r, Total: int64(f.UncompressedSize64), Progress: progress}
	return reader{Bounded(m, name, limit), closers{r, z}}, name, nil
}

// Members returns the names of the regular files in a zip or a tar archive, which may be compressed; none
// for other files.
func Members(ctx context.Context, file string, limit int64) (names []string, err error) {
	if archive, err := IsZip(file); err != nil {
		return nil, err
	} else if archive {
		return ZipNames(file)
	}
	in, err := Open(ctx, file, file, limit, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := bufio.NewReader(in)
	if head, _ := b.Peek(262); len(head) < 262 || string(head[257:]) != "ustar" {
		return nil, nil
	}
	return names, EachInTar(file, b, func(h *tar.Header, _ io.Reader) error {
		if h.Typeflag == tar.TypeReg {
			names = append(names, h.Name)
		}
		return nil
	})
}

func openInTar(name string, in io.ReadCloser, member string) (io.ReadCloser, error) {
	var found io.Reader
	err := EachInTar(name, in, func(h *tar.Header, r io.Reader) error {
		if h.Typeflag != tar.TypeReg || h.Name != member {
			return nil
		}
		found = r
		return io.EOF
	})
	if err == nil && found == nil {
		err = fmt.Errorf("%s: holds no %s", name, Quote(member))
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return reader{found, closers{in}}, nil
}

// EachInTar calls f for the entries of a tar archive that are no folders, until it returns an error; io.EOF
// is none.
func EachInTar(file string, in io.Reader, f func(*tar.Header, io.Reader) error) error {
	r, last := tar.NewReader(in), "its beginning"
	for {
		h, err := r.Next()
		if err != nil && err != io.EOF {
			return Damaged(file, last, err)
		}
		if err == nil && h.Typeflag != tar.TypeDir {
			err = f(h, r)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		last = h.Name
	}
}
