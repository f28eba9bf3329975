package stream

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
)

// zipFiles returns the regular files in a zip, without those that macOS adds.
func zipFiles(z *zip.Reader) []*zip.File {
	var files []*zip.File
	for _, f := range z.File {
		if f.Mode().IsRegular() && !strings.HasPrefix(f.Name, "__MACOSX/") {
			files = append(files, f)
		}
	}
	return files
}

// MemberError is the error for a zip that holds none or several files instead of one.
type MemberError struct{ error }

// zipMember finds a member by its base name; "" finds the only member.
func zipMember(z *zip.Reader, member string) (found *zip.File, err error) {
	var names []string
	for _, f := range zipFiles(z) {
		names = append(names, f.Name)
		if member == "" || path.Base(f.Name) == path.Base(member) {
			found = f
		}
	}
	switch {
	case found == nil && member != "":
		return nil, fmt.Errorf("has no %s, but %s", member, Listed(names))
	case found == nil:
		return nil, MemberError{errors.New("is an empty zip")}
	case member == "" && len(names) > 1:
		return nil, MemberError{fmt.Errorf("has several files: unpack the one that you need: %s", Listed(names))}
	}
	return found, nil
}

// OpenInside opens a member of a zip or of a tar archive; "" is the only member of a zip. Other files are opened as
// by Open. name is the name for messages.
func OpenInside(ctx context.Context, file, shown, member string, limit int64, progress func(done, total int64)) (in io.ReadCloser, name string, err error) {
	head, err := FileHead(file, 4)
	if err != nil {
		return nil, shown, err
	}
	if packing(head) != ".zip" {
		in, err = Open(ctx, file, shown, limit, progress)
		if err == nil && member != "" {
			in, err = openInTar(shown, in, member)
		}
		return in, shown, err
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, shown, Damaged(shown, "its beginning", err)
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader) // faster than the standard library's
	f, err := zipMember(&z.Reader, member)
	if err != nil {
		z.Close()
		return nil, shown, fmt.Errorf("%s: %w", shown, err)
	}
	name = shown + "#" + f.Name
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
	head, err := FileHead(file, 4)
	if err != nil {
		return nil, err
	}
	if packing(head) == ".zip" {
		z, err := zip.OpenReader(file)
		if err != nil {
			return nil, Damaged(file, "its beginning", err)
		}
		defer z.Close()
		for _, f := range zipFiles(&z.Reader) {
			names = append(names, f.Name)
		}
		return names, nil
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

// EachInTar calls f for the entries of a tar archive except folders, until f returns an error. It returns
// this error, or nil if it is io.EOF.
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
