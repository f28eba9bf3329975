package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Progress hears how many bytes of the whole file have been read. Calls come
// from one goroutine at a time, at most once per read.
type Progress func(done, total int64)

// openStream opens a file and decompresses it if it is gzip or zstd. At most
// limit bytes come out of it: a decompression bomb ends in an error. name is
// what messages call the file.
func openStream(ctx context.Context, path, name string, limit int64, progress Progress) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	in := bufio.NewReaderSize(&meter{ctx: ctx, r: f, total: info.Size(), progress: progress}, 1<<18)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, err
	}
	out, under := io.Reader(in), io.Closer(f)
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		out, err = gzip.NewReader(in)
	case bytes.Equal(head, []byte("\x28\xb5\x2f\xfd")):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			out, under = z, closers{z.IOReadCloser(), f}
		}
	default:
		err = nil
	}
	if err != nil {
		f.Close()
		return nil, damaged(name, "its beginning", err)
	}
	return readAhead(&bounded{path: name, r: out, left: limit, limit: limit}, under), nil
}

// maxWindow bounds the memory that decompressing zstd takes; only zstd --long
// asks for more.
const maxWindow = 128 << 20

// closers closes one after another.
type closers []io.Closer

func (c closers) Close() (err error) {
	for _, x := range c {
		err = errors.Join(err, x.Close())
	}
	return err
}

// meter counts what is read and stops when the context ends.
type meter struct {
	ctx         context.Context
	r           io.Reader
	done, total int64
	progress    Progress
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.done += int64(n)
	if m.progress != nil {
		m.progress(m.done, m.total)
	}
	return n, err
}

// bounded is io.LimitReader with an error at the limit.
type bounded struct {
	path        string
	r           io.Reader
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &limitError{b.path, b.limit}
	}
	return n, err
}

// limitError says that a file holds more than it may.
type limitError struct {
	path  string
	limit int64
}

func (e *limitError) Error() string {
	return fmt.Sprintf("%s: decompresses to more than %d bytes: too large, or a decompression bomb", e.path, e.limit)
}

// damaged explains an error met while reading an archive, after the entry last.
func damaged(path, last string, err error) error {
	var limit *limitError
	switch {
	case errors.As(err, &limit), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s: cut off after %s: the file is not whole, get it again", path, last)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("%s: needs more memory to be decompressed than it may: compress it again without zstd's --long", path)
	}
	return fmt.Errorf("%s: damaged after %s (%w): get the file again", path, last, err)
}
