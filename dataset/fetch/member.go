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
	// blockBytes are read at once. The directory of a zip is at its end; GloVe's
	// is far smaller than a block.
	blockBytes = 1 << 16
	// maxDirectory is the most that is read of a remote zip to find a member.
	maxDirectory = 16 << 20
)

// directory holds the known parts of a remote zip.
type directory struct {
	member string
	base   string           // path of the file without .gz
	blocks map[int64][]byte // by where they begin
	read   int64            // bytes in blocks
	entry  *zip.File        // of the member; nil until it is found
}

// locate finds the member in the zip and takes over what an earlier transfer left of it.
// The blocks that it reads are kept for the next attempt.
func (t *transfer) locate(ctx context.Context) error {
	z := t.zip
	if z.blocks == nil {
		a, err := t.ask(ctx, 0, 512)
		if err != nil {
			return err
		}
		defer a.Close()
		head := make([]byte, 512)
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
		t.from.Total, t.from.Validator = a.total, a.validator
		z.blocks = map[int64][]byte{}
	}
	entry, start, err := find(&blockReader{ctx, t}, t.from.Total, z.member, t.o.Limit)
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

// blockReader reads a remote file in blocks, as io.ReaderAt.
type blockReader struct {
	ctx context.Context
	t   *transfer
}

func (r *blockReader) ReadAt(p []byte, off int64) (n int, err error) {
	size := r.t.from.Total
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(p) {
		at := off + int64(n)
		if at >= size {
			return n, io.EOF
		}
		// Blocks are counted from the end, where the directory is.
		start := size - (size-at+blockBytes-1)/blockBytes*blockBytes
		block, err := r.block(max(0, start), min(size, start+blockBytes))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], block[at-max(0, start):])
	}
	return n, nil
}

func (r *blockReader) block(start, end int64) ([]byte, error) {
	z := r.t.zip
	if b, ok := z.blocks[start]; ok {
		return b, nil
	}
	b := make([]byte, end-start)
	if z.read+end-start > maxDirectory {
		return nil, permanent{fmt.Errorf("the directory of the zip has more than %d bytes: another file", maxDirectory)}
	}
	a, err := r.t.ask(r.ctx, start, end)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if n, err := io.ReadFull(a, b); err != nil { // not wrapped: the zip has not ended
		return nil, fmt.Errorf("broken off after %d of %d bytes: %v", n, len(b), err)
	}
	z.blocks[start] = b
	z.read += int64(len(b))
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
