package fetch

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Member fetches one member of the zip at url into a folder and returns the file:
// MEMBER.gz with the compressed bytes of the zip; or MEMBER if the zip does not compress
// it; or the whole zip under the name whole if the server sends no parts (Range). Reading
// the gzip file checks it by the CRC-32 that the zip has for the member.
func Member(ctx context.Context, url, member, folder, whole string, o Options) (file string, err error) {
	o = o.withDefaults()
	base := filepath.Join(folder, member)
	for _, done := range []string{base, base + ".gz"} {
		if _, err := os.Stat(done); err == nil {
			return done, nil
		}
	}
	t := &transfer{
		partial: &partial{from: origin{URL: url, Total: -1}},
		o:       o, zip: &directory{member: member, base: base},
	}
	if err = t.run(ctx); errors.Is(err, errNoRange) {
		o.Retry(errNoRange, 0)
		file = filepath.Join(folder, whole)
		return file, File(ctx, url, file, Checksum{}, o)
	}
	if err == nil {
		err = t.finish(t.zip.entry)
	}
	if err != nil {
		return "", err
	}
	file = strings.TrimSuffix(t.path, partSuffix)
	return file, t.rename(file)
}

const (
	// headBytes are read to recognise a zip, or a web page.
	headBytes = 512
	// tailBytes are read of the end of a zip, where its directory is. GloVe's is far smaller.
	tailBytes = 66 << 10
	// headerBytes is the size of the header before a member, without its name.
	headerBytes = 30
)

// directory holds the known parts of a remote zip.
type directory struct {
	member string
	base   string    // path of the file without .gz
	known  bool      // its size and version are
	tail   []byte    // the last tailBytes, once they are read
	entry  *zip.File // of the member; nil until it is found
}

// locate finds the member in the zip and continues its partial file, if an earlier transfer left one.
// The end of the zip is kept for the next attempt.
func (t *transfer) locate(ctx context.Context) error {
	z := t.zip
	if !z.known {
		a, err := t.ask(ctx, 0, headBytes)
		if err != nil {
			return err
		}
		defer a.Close()
		head := make([]byte, headBytes)
		n, err := io.ReadFull(a, head)
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return err
		}
		if err := looksLikeZip(head[:n]); err != nil {
			return err
		}
		if !a.partial || a.total < 0 {
			return permanent{errNoRange}
		}
		if a.total > t.o.Limit {
			return permanent{fmt.Errorf("is %d bytes long, more than the %d allowed: another file", a.total, t.o.Limit)}
		}
		t.from.Total, t.from.Validator, z.known = a.total, a.validator, true
	}
	if z.tail == nil {
		tail, err := t.read(ctx, max(0, t.from.Total-tailBytes), t.from.Total)
		if err != nil {
			return err
		}
		z.tail = tail
	}
	entry, start, err := find(&remoteZip{ctx, t}, t.from.Total, z.member, t.o.Limit)
	if err != nil {
		return err
	}
	t.from.Start, t.from.Length, t.from.CRC = start, int64(entry.CompressedSize64), entry.CRC32
	t.path, t.prefix = z.base+partSuffix, nil
	if entry.Method == zip.Deflate {
		t.path, t.prefix = z.base+".gz"+partSuffix, gzipHeader
	}
	z.entry = entry
	t.resume()
	return nil
}

// looksLikeZip checks how a file begins.
func looksLikeZip(head []byte) error {
	switch {
	case strings.HasPrefix(string(head), "PK\x03\x04"):
		return nil
	case isHTML(head):
		return permanent{errHTML}
	}
	return permanent{errors.New("not a zip: give another address with --url")}
}

// remoteZip reads the end of a remote zip from memory, and the header before a member from the
// server, as io.ReaderAt.
type remoteZip struct {
	ctx context.Context
	t   *transfer
}

func (r *remoteZip) ReadAt(p []byte, off int64) (int, error) {
	size, tail := r.t.from.Total, r.t.zip.tail
	switch at := off - (size - int64(len(tail))); {
	case at >= 0:
		n := copy(p, tail[min(at, int64(len(tail))):])
		if n < len(p) {
			return n, io.EOF
		}
		return n, nil
	case off < 0 || len(p) > headerBytes:
		return 0, permanent{fmt.Errorf("the directory of the zip has more than %d bytes: another file", tailBytes)}
	}
	b, err := r.t.read(r.ctx, off, off+int64(len(p)))
	return copy(p, b), err
}

// read fetches the bytes [start, end) of the remote file.
func (t *transfer) read(ctx context.Context, start, end int64) ([]byte, error) {
	a, err := t.ask(ctx, start, end)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b := make([]byte, end-start)
	if n, err := io.ReadFull(a, b); err != nil { // not wrapped: the zip has not ended
		return nil, fmt.Errorf("broken off after %d of %d bytes: %v", n, len(b), err)
	}
	return b, nil
}

// find returns a member of a zip of that size by its name without folders, and where its
// data begins.
func find(r io.ReaderAt, size int64, member string, limit int64) (entry *zip.File, start int64, err error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, 0, explain(err)
	}
	for _, f := range z.File {
		if path.Base(f.Name) == member {
			entry = f
		}
	}
	if entry == nil {
		return nil, 0, permanent{fmt.Errorf("a zip of %d entries without %s", len(z.File), member)}
	}
	if start, err = entry.DataOffset(); err != nil {
		return nil, 0, explain(err)
	}
	length := entry.CompressedSize64
	switch {
	case length > uint64(limit):
		return nil, 0, permanent{fmt.Errorf("%s has %d bytes, more than the %d allowed", member, length, limit)}
	case start < 0, start > size-int64(length):
		return nil, 0, permanent{fmt.Errorf("%s would end after the end of the zip: its directory is damaged", member)}
	case entry.Flags&1 != 0, entry.Method != zip.Store && entry.Method != zip.Deflate:
		return nil, 0, permanent{fmt.Errorf("%s is encrypted, or compressed in a way that is not known", member)}
	}
	return entry, start, nil
}

// explain distinguishes a damaged zip from an error of the network.
func explain(err error) error {
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return permanent{fmt.Errorf("not a zip, or one with a damaged directory (%w): give another address with --url", err)}
	}
	return err
}

// gzipHeader declares deflate and nothing else (RFC 1952, 2.3).
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// finish appends the trailer of a gzip file to the deflated bytes: checksum and length of
// the text. A file without compression is checked now.
func (p *partial) finish(entry *zip.File) error {
	if p.prefix == nil {
		return p.verify(Checksum{"crc32", fmt.Sprintf("%08x", entry.CRC32)})
	}
	out, err := p.appender()
	if err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(nil, entry.CRC32)
	b = binary.LittleEndian.AppendUint32(b, uint32(entry.UncompressedSize64&math.MaxUint32))
	_, err = out.Write(b)
	return errors.Join(err, out.Sync(), out.Close())
}
