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
)

// Member fetches one member of the zip at url into a folder and returns the
// file: MEMBER.gz, whose compressed bytes are the zip's; or MEMBER if the zip does
// not compress it; or the whole zip, under that name, from a server that sends no
// parts (Range). Reading the gzip file checks it by the CRC-32 that the zip has
// for the member.
func Member(ctx context.Context, url, member, folder, whole string, o Options) (file string, err error) {
	o = o.withDefaults()
	base := filepath.Join(folder, member)
	for _, done := range []string{base, base + ".gz"} {
		if _, err := os.Stat(done); err == nil {
			return done, nil
		}
	}
	for try := 1; ; try++ {
		file, err = fetchMember(ctx, url, member, base, o)
		if !errors.Is(err, errChanged) || try == o.Tries {
			break
		}
	}
	if errors.Is(err, errNoRange) {
		o.Retry(errNoRange, 0)
		file = filepath.Join(folder, whole)
		return file, File(ctx, url, file, Checksum{}, o)
	}
	return file, err
}

// fetchMember reads the directory of the zip and fetches the member to base or
// base.gz.
func fetchMember(ctx context.Context, url, member, base string, o Options) (string, error) {
	r, err := openRemote(ctx, url, o)
	if err != nil {
		return "", atURL(ctx, url, err)
	}
	entry, start, err := find(r, r.size, member, o.Limit)
	if err != nil {
		return "", atURL(ctx, url, err)
	}
	p := &partial{path: base + ".part", from: origin{url, r.validator, r.size, start, int64(entry.CompressedSize64), entry.CRC32}}
	if entry.Method == zip.Deflate {
		base += ".gz"
		p.path, p.prefix = base+".part", gzipHeader
	}
	p.resume()
	t := &transfer{partial: p, o: o}
	if err := t.run(ctx); err != nil {
		return "", err
	}
	if err := p.finish(ctx, entry); err != nil {
		return "", err
	}
	return base, p.rename(base)
}

// atURL says where an error was met.
func atURL(ctx context.Context, url string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &Error{URL: url, Err: err}
}

// find returns a member of a zip of that size by its name without folders, and
// where its data begins.
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
		return nil, 0, permanent{fmt.Errorf("%s is encrypted or compressed in a way that is not known here", member)}
	}
	return entry, start, nil
}

// explain tells a damaged zip from an error of the network.
func explain(err error) error {
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return permanent{fmt.Errorf("not a zip, or one with a damaged directory (%w): give another address with --url", err)}
	}
	return err
}

// gzipHeader says deflate and nothing else (RFC 1952, 2.3).
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// finish adds what follows the deflated bytes in a gzip file, the checksum and
// the length of the text; a file without that is checked now.
func (p *partial) finish(ctx context.Context, entry *zip.File) error {
	if p.prefix == nil {
		err := verify(ctx, p.path, p.from.URL, Checksum{"crc32", fmt.Sprintf("%08x", entry.CRC32)})
		if err != nil && ctx.Err() == nil {
			_ = p.remove() // the checksum's error says more
		}
		return err
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
