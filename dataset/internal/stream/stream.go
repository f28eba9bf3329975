// Package stream opens files that may be compressed, within limits, and explains errors in
// them.
package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"imdbexp/internal/fsx"
)

// Open opens a file and decompresses it if it is gzip or zstd. More than limit decompressed
// bytes are an error. Messages call the file name.
func Open(ctx context.Context, path, name string, limit int64, progress func(done, total int64)) (io.ReadCloser, error) {
	f, err := fsx.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = CheckPointer(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out, err := Decompress(&Meter{Context: ctx, R: f, Total: info.Size(), Progress: progress})
	if err != nil {
		f.Close()
		return nil, Damaged(name, "its beginning", err)
	}
	return reader{Bounded(out, name, limit), closers{out, f}}, nil
}

// Decompress decompresses gzip and zstd, and returns anything else unchanged.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(r, 1<<18)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch packing(head) {
	case ".gz":
		return gzip.NewReader(in)
	case ".zst":
		// More than this window is needed after zstd --long only.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(in), nil
}

// Unpack decompresses an embedded file.
func Unpack(packed []byte) string {
	in, err := Decompress(bytes.NewReader(packed))
	var text []byte
	if err == nil {
		defer in.Close()
		text, err = io.ReadAll(in)
	}
	if err != nil {
		panic(err) // not reached: tests read the embedded files
	}
	return string(text)
}

// packing returns the extension of a file by its first four bytes: .gz, .zst, .zip, or "" for others.
func packing(head []byte) string {
	for magic, ext := range map[string]string{"\x1f\x8b": ".gz", "\x28\xb5\x2f\xfd": ".zst", "PK\x03\x04": ".zip", "PK\x05\x06": ".zip"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return ext
		}
	}
	return ""
}

// reader reads from one thing and closes others.
type reader struct {
	io.Reader
	closers
}

// closers closes one after another.
type closers []io.Closer

func (c closers) Close() (err error) {
	for _, x := range c {
		err = errors.Join(err, x.Close())
	}
	return err
}

// Meter counts the bytes read from R and stops when the context ends.
type Meter struct {
	Context  context.Context
	R        io.Reader
	Total    int64 // size of R
	Progress func(done, total int64)

	done int64
}

// Read implements io.Reader.
func (m *Meter) Read(p []byte) (int, error) {
	if err := m.Context.Err(); err != nil {
		return 0, err
	}
	n, err := m.R.Read(p)
	m.done += int64(n)
	if m.Progress != nil {
		m.Progress(m.done, m.Total)
	}
	return n, err
}

// Bounded is io.LimitReader with a *LimitError at the limit. Messages call the file name.
func Bounded(r io.Reader, name string, limit int64) io.Reader {
	return &boundedReader{r, limit, &LimitError{fmt.Errorf("%s: decompresses to more than %d bytes: too large, or a decompression bomb", name, limit)}}
}

type boundedReader struct {
	io.Reader
	left int64
	over error
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.over
	}
	return n, err
}

// LimitError is the error for a file that decompresses to more than its limit.
type LimitError struct{ error }

// Damaged explains an error met while reading an archive, after the entry last.
func Damaged(path, last string, err error) error {
	var limit *LimitError
	switch {
	case errors.As(err, &limit), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s: cut off after %s: the file is not whole, get it again", path, last)
	}
	return fmt.Errorf("%s: damaged after %s (%w): get the file again", path, last, err)
}

// FileHead returns the first n bytes of a file, or all there are.
func FileHead(file string, n int) ([]byte, error) {
	f, err := fsx.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadHead(f, n)
}

// ReadHead reads n bytes, or all there are; only io.EOF is not an error. Unlike io.ReadFull it takes
// io.ErrUnexpectedEOF for what it is, a truncated archive.
func ReadHead(r io.Reader, n int) ([]byte, error) {
	var b bytes.Buffer
	_, err := io.CopyN(&b, r, int64(n))
	if err == io.EOF {
		err = nil
	}
	return b.Bytes(), err
}

// CheckText returns an error for bytes that are not text. where names the file and the entry.
func CheckText(where, text string) error {
	if err := NotText(text, "convert the file, for example with iconv -t UTF-8"); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// NotText returns an error for bytes that are not text. The error for an encoding other than
// UTF-8 ends with the advice.
func NotText(text, advice string) error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return fmt.Errorf("byte %d is NUL: this is not text", i+1)
	}
	if utf8.ValidString(text) {
		return nil
	}
	valid := 0
	for r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRuneInString(text[valid:]) {
		valid += n
	}
	return fmt.Errorf("byte %d is not UTF-8: %s", valid+1, advice)
}

// TooLong is the error for a text over the limit.
func TooLong(limit int64) error {
	return fmt.Errorf("longer than %d bytes, the limit for one text", limit)
}

// Quote shows a name from an archive, which may hold anything.
func Quote(name string) string {
	if len(name) > 200 {
		name = name[:200] + "…"
	}
	return fmt.Sprintf("%q", name)
}

// Listed shows a few names from an archive.
func Listed(names []string) string {
	slices.Sort(names)
	more := ""
	if len(names) > 8 {
		names, more = names[:8], ", …"
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = Quote(n)
	}
	return strings.Join(quoted, ", ") + more
}

// CheckPointer returns an error for a pointer of Git LFS: a small file in place of a large one
// that was not downloaded.
func CheckPointer(file io.ReaderAt) error {
	head := make([]byte, 64)
	n, _ := file.ReadAt(head, 0)
	head = head[:n]
	if bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")) {
		return errors.New("is a Git LFS pointer and not the file itself: run git lfs pull, then try again")
	}
	return nil
}
