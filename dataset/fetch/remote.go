package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Member fetches one member of the zip at url into a folder and returns the file: MEMBER.gz with
// the compressed bytes of the zip. Reading the gzip file checks it by the CRC-32 that the zip has
// for the member.
func Member(ctx context.Context, url, member, folder string, o Options) (file string, err error) {
	file = filepath.Join(folder, member+".gz")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	t := newTransfer(url, file, o)
	t.inside = true
	t.prefix = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255} // of gzip: deflate and nothing else (RFC 1952, 2.3)
	var entry *zip.File
	err = t.fetch(ctx, func(ctx context.Context) (err error) {
		if entry == nil {
			if entry, err = t.locate(ctx, member); err != nil {
				return err
			}
			if err := t.resume(entry.CRC32); err != nil {
				return permanent{err}
			}
		}
		if t.have == t.length {
			t.o.Progress(t.have, t.length)
			return nil
		}
		return t.attempt(ctx)
	})
	if err != nil {
		return "", err
	}
	out, err := t.in.Append(t.part, int64(len(t.prefix))+t.length)
	if err != nil {
		return "", err
	}
	// The trailer of gzip: checksum and length of the text.
	b := binary.LittleEndian.AppendUint32(nil, entry.CRC32)
	_, err = out.Write(binary.LittleEndian.AppendUint32(b, uint32(entry.UncompressedSize64&math.MaxUint32)))
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return "", err
	}
	return file, t.in.Rename(t.part, t.name)
}

// tailBytes are read of the end of a zip, where its directory is. GloVe's is far smaller.
const tailBytes = 66 << 10

// locate finds the member in the zip.
func (t *transfer) locate(ctx context.Context, member string) (*zip.File, error) {
	a, err := t.ask(ctx, -tailBytes, -1)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	switch {
	case a.total < 0:
		return nil, permanent{errNoRange}
	case a.total > t.o.Limit:
		return nil, tooLong(a.total, t.o.Limit)
	}
	t.total = a.total
	tail := make([]byte, min(a.total-a.start, tailBytes))
	if _, err := io.ReadFull(a, tail); err != nil {
		return nil, broken(0, err)
	}
	entry, start, err := find(&remoteZip{ctx, t, tail}, a.total, member, t.o.Limit)
	if err != nil {
		return nil, err
	}
	t.start, t.length = start, int64(entry.CompressedSize64)
	return entry, nil
}

// remoteZip reads a remote zip as io.ReaderAt: its end from memory, and the header before a member from
// the server.
type remoteZip struct {
	ctx  context.Context
	t    *transfer
	tail []byte
}

func (r *remoteZip) ReadAt(b []byte, off int64) (int, error) {
	if at := off - (r.t.total - int64(len(r.tail))); at >= 0 {
		return bytes.NewReader(r.tail).ReadAt(b, at)
	}
	a, err := r.t.ask(r.ctx, off, off+int64(len(b)))
	if err != nil {
		return 0, err
	}
	defer a.Close()
	n, err := io.ReadFull(a, b)
	if err != nil {
		err = broken(int64(n), err)
	}
	return n, err
}

// find returns a deflated member of a zip of that size by its name without folders, and where its
// data begins.
func find(r io.ReaderAt, size int64, member string, limit int64) (entry *zip.File, start int64, err error) {
	z, err := zip.NewReader(r, size)
	if err == nil {
		for _, f := range z.File {
			if path.Base(f.Name) == member {
				entry = f
			}
		}
		if entry == nil {
			return nil, 0, permanent{fmt.Errorf("a zip of %d entries without %s", len(z.File), member)}
		}
		start, err = entry.DataOffset()
	}
	switch {
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, 0, permanent{fmt.Errorf("not a zip, or one with a damaged directory (%w): take a mirror ($EXP_MIRROR)", err)}
	case err != nil: // of the network
		return nil, 0, err
	}
	switch length := entry.CompressedSize64; {
	case length > uint64(limit):
		return nil, 0, tooLong(int64(min(length, math.MaxInt64)), limit)
	case start < 0, start > size-int64(length):
		return nil, 0, permanent{fmt.Errorf("%s would end after the end of the zip: its directory is damaged", member)}
	case entry.Flags&1 != 0, entry.Method != zip.Deflate:
		return nil, 0, permanent{fmt.Errorf("%s is not deflated: %w", member, errWhole)}
	}
	return entry, start, nil
}

var (
	errChanged = errors.New("the file has changed on the server, or it sends other bytes than requested: fetch again")
	errNoRange = fmt.Errorf("the server sends whole files only (no Range): %w", errWhole)
	errWhole   = errors.New("download the archive with another program and add it with exp data add, or take a mirror ($EXP_MIRROR)")
	// errHTML is for the answer of a captive portal, or of a page that has moved.
	errHTML = errors.New("the server sent a web page instead of the file: log in to the network, or take a mirror ($EXP_MIRROR)")
)

// permanent is an error that would come again in another attempt.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// Error says what could not be fetched, why, and what to do.
type Error struct {
	URL string
	Err error
	Got int64 // bytes kept for the next transfer
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.URL, e.Err)
	if e.Got >= 1e5 {
		text += fmt.Sprintf("; %.1f MB are kept: fetch again to continue", float64(e.Got)/1e6)
	}
	return text
}

// answer is the response with a file or a part of it.
type answer struct {
	body    io.ReadCloser
	partial bool
	start   int64 // of a part
	total   int64 // size of the whole file, −1 unknown

	idle  time.Duration
	timer *time.Timer
	ctx   context.Context
	stop  context.CancelCauseFunc
}

// get requests a file, or the part that byteRange names. It gives up when nothing comes for idle, at any
// point from connecting to the last byte. The answer is nil if the server has no such part.
func get(ctx context.Context, idle time.Duration, address, byteRange string) (*answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	a := &answer{idle: idle, ctx: ctx, stop: stop, body: http.NoBody}
	a.timer = time.AfterFunc(idle, func() { stop(fmt.Errorf("nothing came for %v", idle)) })
	there, err := a.open(address, byteRange)
	if err != nil || !there {
		err = a.cause(err)
		a.Close()
		return nil, err
	}
	return a, nil
}

func (a *answer) open(address, byteRange string) (there bool, err error) {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, permanent{err}
	}
	if byteRange != "" {
		req.Header.Set("Range", byteRange)
	}
	req.Header.Set("Accept-Encoding", "identity") // do not compress it on the way
	req.Header.Set("User-Agent", "imdbexp")
	res, err := http.DefaultClient.Do(req)
	if u, ok := errors.AsType[*url.Error](err); ok {
		dns, named := errors.AsType[*net.DNSError](err)
		if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted || named && dns.IsNotFound {
			return false, permanent{u.Err} // u itself has the address, too
		}
		return false, u.Err
	}
	a.body = res.Body
	switch code := res.StatusCode; {
	case code < 300 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"):
		return false, permanent{errHTML}
	case code == http.StatusOK:
		a.total = res.ContentLength
		return true, nil
	case code == http.StatusPartialContent:
		a.partial = true
		a.start, a.total, err = contentRange(res.Header.Get("Content-Range"))
		return true, err
	case code == http.StatusRequestedRangeNotSatisfiable:
		return false, nil
	case code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return false, permanent{errors.New("the server answers " + res.Status)}
	}
	return false, errors.New("the server answers " + res.Status)
}

// Read reads the body.
func (a *answer) Read(p []byte) (int, error) {
	a.timer.Reset(a.idle)
	n, err := a.body.Read(p)
	if err != nil && err != io.EOF {
		err = a.cause(err)
	}
	return n, err
}

// cause returns the reason for which the request was stopped, or else err.
func (a *answer) cause(err error) error {
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	return err
}

// Close ends the request.
func (a *answer) Close() {
	a.timer.Stop()
	a.body.Close()
	a.stop(nil)
}

// contentRange reads "bytes 10-19/100". The total may be "*", unknown: −1.
func contentRange(s string) (start, total int64, err error) {
	end, total := int64(0), int64(-1)
	n, _ := fmt.Sscanf(s, "bytes %d-%d/%d", &start, &end, &total)
	if n < 2 || n == 2 && !strings.HasSuffix(s, "/*") || n == 3 && end >= total || start < 0 || end < start {
		return 0, 0, fmt.Errorf("the server sends a part without saying which (Content-Range %q)", s)
	}
	return start, total, nil
}
