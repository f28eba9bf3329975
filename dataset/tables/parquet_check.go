//go:build !js

package tables

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// What the footer of a Parquet file may hold.
const (
	maxFooter = 64 << 20 // bytes; statistics hold texts
	maxItems  = 1 << 18  // elements of lists
)

var errSize = errors.New("declares more than it holds")

// adviceError is an error that says what to do about a file that is not damaged.
type adviceError string

func (e adviceError) Error() string { return string(e) }

type thriftReader = thrift.Reader // a name that leaves its method Reader visible

// bounded is a thrift.Reader that refuses long lists and byte strings, for which package
// thrift would make room before it reads them.
type bounded struct {
	thriftReader
	items int // elements of lists that are left
	bytes int // in one byte string
}

func (b *bounded) ReadList() (thrift.List, error) {
	l, err := b.thriftReader.ReadList()
	if b.items -= int(l.Size); err == nil && (l.Size < 0 || b.items < 0) {
		err = errSize
	}
	return l, err
}

func (b *bounded) ReadBytes() ([]byte, error) {
	n, err := b.ReadLength()
	if err != nil || n > b.bytes {
		return nil, errors.Join(err, errSize)
	}
	out := make([]byte, n)
	_, err = io.ReadFull(b.Reader(), out)
	return out, err
}

// checkFooter checks that the footer lies in the file and declares no more than it holds.
func checkFooter(f io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return io.ErrUnexpectedEOF
	}
	if _, err := f.ReadAt(end[:], size-8); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end[:4]))
	switch {
	case string(end[4:]) == "PARE":
		return adviceError("is encrypted: write it again without encryption")
	case string(end[4:]) != "PAR1" || n > size-12:
		return io.ErrUnexpectedEOF
	case n > maxFooter:
		return adviceError(fmt.Sprintf("its footer has %d bytes, more than the %d allowed: keep the columns of text and label", n, maxFooter))
	}
	in := bufio.NewReader(io.NewSectionReader(f, size-8-n, n))
	protocol := thrift.CompactProtocol{}
	return thrift.NewDecoder(&bounded{protocol.NewReader(in), maxItems, int(n)}).Decode(new(format.FileMetaData))
}

// checkChunk checks every page of a column in a row group before package parquet reads it:
// it lies in the file, has its checksum, and decompresses to the size it declares, which is
// within the limits.
func (r *rowGroups) checkChunk(g *format.RowGroup, c *parquet.Column) error {
	if c.Index() >= len(g.Columns) {
		return errSize
	}
	m := &g.Columns[c.Index()].MetaData
	start := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		start = m.DictionaryPageOffset
	}
	switch kind := c.Type().Kind(); {
	case g.Columns[c.Index()].FilePath != "":
		return adviceError("lies in another file: write all columns into one")
	case kind == parquet.Int96 || kind == parquet.FixedLenByteArray:
		return adviceError(fmt.Sprintf("holds %s, neither text nor numbers", kind))
	case start < 4 || m.TotalCompressedSize < 0 || m.TotalCompressedSize > r.file.Size()-start:
		return io.ErrUnexpectedEOF
	case m.NumValues != g.NumRows:
		return errSize
	}
	section := io.NewSectionReader(r.file, start, m.TotalCompressedSize)
	r.meter.R = section
	in := bufio.NewReader(r.meter)
	for left := func() int64 {
		at, _ := section.Seek(0, io.SeekCurrent)
		return section.Size() - at + int64(in.Buffered())
	}; left() > 0; {
		var h format.PageHeader
		protocol := thrift.CompactProtocol{}
		if err := thrift.NewDecoder(&bounded{protocol.NewReader(in), 1 << 10, int(r.o.Limits.ReviewBytes)}).Decode(&h); err != nil {
			return err
		}
		size, limit := int64(max(h.CompressedPageSize, h.UncompressedPageSize)), 2*r.o.Limits.ReviewBytes
		switch {
		case min(h.CompressedPageSize, h.UncompressedPageSize) < 0 || int64(h.CompressedPageSize) > left():
			return io.ErrUnexpectedEOF
		case size > limit: // a page holds at least one text
			return adviceError(fmt.Sprintf("has a page of %d bytes, more than the %d allowed: write it in smaller ones", size, limit))
		}
		b := make([]byte, h.CompressedPageSize)
		if _, err := io.ReadFull(in, b); err != nil {
			return err
		}
		if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(b) {
			return errors.New("a page has another checksum")
		}
		if err := checkPage(&h, b, m.Codec, c.Optional(), int(g.NumRows)); err != nil {
			return err
		}
	}
	return nil
}

// checkPage checks that a page decompresses to its size. A page must not hold more values than its
// row group has rows, and its runs must not declare more values than the page has.
func checkPage(h *format.PageHeader, b []byte, codec format.CompressionCodec, optional bool, rows int) (err error) {
	size := int(h.UncompressedPageSize)
	values, encoding := h.DataPageHeader.V.NumValues, h.DataPageHeader.V.Encoding
	var levels []byte // 1 where there is a value, 0 for null
	switch h.Type {
	case format.DictionaryPage:
		if n := int(h.DictionaryPageHeader.V.NumValues); n < 0 || n > size {
			return errSize
		}
		_, err = decompress(b, codec, size)
		return err
	case format.DataPage:
		if b, err = decompress(b, codec, size); err == nil && optional {
			levels, b, err = sized(b)
		}
	case format.DataPageV2:
		v := &h.DataPageHeaderV2.V
		values, encoding = v.NumValues, v.Encoding
		before, n := int(v.RepetitionLevelsByteLength), int(v.RepetitionLevelsByteLength)+int(v.DefinitionLevelsByteLength)
		if before < 0 || n < before || n > min(len(b), size) || v.NumNulls < 0 || v.NumNulls > values {
			return errSize
		}
		levels, b = b[before:n], b[n:]
		if !v.IsCompressed.Valid || v.IsCompressed.V {
			b, err = decompress(b, codec, size-n)
		}
	}
	if err == nil && (values < 0 || int(values) > rows) {
		err = errSize
	}
	if err == nil && optional {
		err = checkRuns(levels, 1, rows)
	}
	if err != nil || len(b) == 0 {
		return err
	}
	switch encoding {
	case format.PlainDictionary, format.RLEDictionary:
		return checkRuns(b[1:], int(b[0]), rows)
	case format.RLE:
		if b, _, err = sized(b); err == nil {
			err = checkRuns(b, 1, rows)
		}
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		return checkDeltas(b, rows)
	}
	return err
}

// checkRuns checks that a hybrid of runs and bit-packed groups of eight, each value of width
// bits, declares about as many values as can be there.
//
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
func checkRuns(b []byte, width, values int) error {
	for left := int64(values) + 512; len(b) > 0; { // the last group may be padded
		n, k := binary.Uvarint(b)
		count, size := int64(n>>1), int64(width+7)/8
		if n&1 == 1 {
			count, size = 8*count, count*int64(width)
		}
		b = b[max(1, k):]
		if left -= count; k <= 0 || n > 1<<40 || left < 0 {
			return errSize
		}
		b = b[min(size, int64(len(b))):] // the last group may be cut off
	}
	return nil
}

// checkDeltas checks the header of numbers that are encoded as differences (DELTA_BINARY_PACKED):
// size of a block, its parts, and the number of values, at most one a row.
//
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTAENC
func checkDeltas(b []byte, rows int) error {
	for _, limit := range []int{1 << 16, 1 << 16, rows} {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(limit) {
			return errSize
		}
		b = b[k:]
	}
	return nil
}

// sized cuts off a part that has its length before it.
func sized(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := 4 + int(binary.LittleEndian.Uint32(b))
	return b[4:n], b[n:], nil
}

// maxWindow is how much more than its content a page compressed by zstd may ask the decoder to keep.
const maxWindow = 8 << 20

// decompress checks that b decompresses to size bytes, where package parquet would take as
// many as come. Codecs that are not read are left to that package to refuse.
func decompress(b []byte, codec format.CompressionCodec, size int) ([]byte, error) {
	var r io.Reader
	var err error
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(b); err != nil || n != size {
			return nil, errors.Join(err, errSize)
		}
		return snappy.Decode(nil, b)
	case format.Lz4Raw:
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(b, out)
		if err == nil && n != size {
			err = errSize
		}
		return out, err
	case format.Gzip:
		r, err = gzip.NewReader(bytes.NewReader(b))
	case format.Zstd:
		r, err = zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(size+maxWindow)))
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(b))
	default:
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err == nil && len(out) != size {
		err = errSize
	}
	return out, err
}
