package stream

import (
	"archive/tar"
	"bufio"
	"context"
	"fmt"
	"io"
)

// Members returns the names of the regular files in a zip or a tar archive, which may be compressed; none
// for other files.
func Members(ctx context.Context, file string, limit int64) (names []string, err error) {
	archive, err := IsZip(file)
	if err != nil {
		return nil, err
	}
	if archive {
		return ZipNames(file)
	}
	in, err := Open(ctx, file, file, limit, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	err = eachInTar(file, in, func(h *tar.Header, _ io.Reader) bool {
		names = append(names, h.Name)
		return true
	})
	return names, err
}

// OpenMember opens a member of a zip or a tar archive.
func OpenMember(ctx context.Context, file, member string, limit int64, progress func(done, total int64)) (io.ReadCloser, error) {
	if archive, err := IsZip(file); archive || err != nil {
		in, _, err := OpenInside(ctx, file, "", member, limit, progress)
		return in, err
	}
	in, err := Open(ctx, file, file, limit, progress)
	if err != nil {
		return nil, err
	}
	var found io.Reader
	err = eachInTar(file, in, func(h *tar.Header, r io.Reader) bool {
		if h.Name == member {
			found = r
		}
		return found == nil
	})
	if err == nil && found == nil {
		err = fmt.Errorf("%s: holds no %s", file, Quote(member))
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return reader{found, closers{in}}, nil
}

// eachInTar calls f for the regular files of a tar archive until it returns false. Anything else has none.
func eachInTar(file string, in io.Reader, f func(*tar.Header, io.Reader) bool) error {
	b := bufio.NewReader(in)
	if head, _ := b.Peek(262); len(head) < 262 || string(head[257:]) != "ustar" {
		return nil
	}
	r, last := tar.NewReader(b), "its beginning"
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return Damaged(file, last, err)
		}
		if last = h.Name; h.Typeflag == tar.TypeReg && !f(h, r) {
			return nil
		}
	}
}
