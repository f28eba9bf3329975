//go:build !js

package tables

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strconv"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"imdbexp/dataset/internal/stream"
)

// readParquet reads the chosen columns row by row with package parquet, which allocates the
// sizes that a file declares: checkFooter and checkChunk compare them with the file first.
func readParquet(e *emitter, f *os.File, size int64) error {
	e.how.Format = Parquet
	if e.o.Class != "" {
		return fmt.Errorf("%s: is Parquet; a class needs a file with one text per line", e.file)
	}
	if err := checkFooter(f, size); err != nil {
		return parquetDamage(e.file, err)
	}
	file, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return parquetDamage(e.file, err)
	}
	var columns []*parquet.Column // without nested ones
	var names, nested []string
	for _, c := range file.Root().Columns() {
		if c.Leaf() && !c.Repeated() {
			columns, names = append(columns, c), append(names, c.Name())
		} else {
			nested = append(nested, stream.Quote(c.Name()))
		}
	}
	switch {
	case len(columns) > maxColumns:
		return fmt.Errorf("%s: %w", e.file, errWide)
	case len(columns) == 0:
		return fmt.Errorf("%s: has nested columns only (%s): write text and label as separate columns", e.file, shorten(nested))
	}
	roles, err := chooseColumns(names, e.o)
	if isColumn := new(columnError); errors.As(err, &isColumn) && len(nested) > 0 {
		err = fmt.Errorf("%w. Nested columns cannot be read: %s", err, shorten(nested))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
	}
	g := rowGroups{emitter: e, file: file, meter: e.meter(nil, size)}
	for role, i := range roles {
		if i >= 0 {
			e.how.Columns[role], g.chosen[role] = names[i], columns[i]
		}
	}
	if kind := g.chosen[Text].Type().Kind(); kind != parquet.ByteArray {
		return e.fail("", e.how.Columns[Text], fmt.Errorf("holds %s, not text", kind))
	}
	if e.how.Columns[Label] != "" {
		g.classes = classNames(file, e.how.Columns[Label])
	}
	for i := range file.RowGroups() {
		if err := g.read(i); err != nil {
			return err
		}
	}
	return nil
}

// rowGroups reads the row groups of a file, one after the other.
type rowGroups struct {
	*emitter
	file    *parquet.File
	meter   *stream.Meter
	chosen  [Roles]*parquet.Column
	classes []string // of labels that are numbers, nil without
	row     int      // the last one read, from 1
}

func (r *rowGroups) read(group int) error {
	g := &r.file.Metadata().RowGroups[group]
	if g.NumRows < 0 || g.NumRows > int64(r.o.Limits.Reviews) {
		return fmt.Errorf("%s: %d rows: more than %d, or damaged", r.emitter.file, g.NumRows, r.o.Limits.Reviews)
	}
	damaged := func(row int, c *parquet.Column, err error) error {
		return parquetDamage(fmt.Sprintf("%s: row %d, column %s", r.emitter.file, row, stream.Quote(c.Name())), err)
	}
	var values [Roles]parquet.ColumnChunkValueReader
	for i, c := range r.chosen {
		if c == nil {
			continue
		}
		if err := r.checkChunk(g, c); err != nil {
			return damaged(r.row+1, c, err)
		}
		values[i] = parquet.NewColumnChunkValueReader(r.file.RowGroups()[group].ColumnChunks()[c.Index()])
		defer values[i].Close()
	}
	for range g.NumRows {
		r.row++
		place := fmt.Sprintf(": row %d", r.row)
		var f fields
		for i, c := range r.chosen {
			if c == nil {
				continue
			}
			var value [1]parquet.Value
			if _, err := values[i].ReadValues(value[:]); err != nil {
				return damaged(r.row, c, err)
			}
			f[i] = cell(c.Type(), value[0])
		}
		if r.classes != nil && f[Label] != "" {
			class, err := strconv.Atoi(f[Label])
			switch {
			case err != nil || class < -1 || class >= len(r.classes):
				return r.fail(place, r.how.Columns[Label], fmt.Errorf("the label %s is not one of the %d classes that the file names", stream.Quote(f[Label]), len(r.classes)))
			case class < 0: // no class
				f[Label] = ""
			default:
				f[Label] = r.classes[class]
			}
		}
		if err := r.record(place, f); err != nil {
			return err
		}
	}
	return nil
}

// cell returns a value as text: a decimal number with its point, "" for null and NaN.
func cell(t parquet.Type, v parquet.Value) string {
	if v.IsNull() || t.Kind() != parquet.ByteArray && v.String() == "NaN" {
		return ""
	}
	if l := t.LogicalType(); l != nil && (t.Kind() == parquet.Int32 || t.Kind() == parquet.Int64) {
		if d, is := l.Value.(*format.DecimalType); is && d.Scale >= 0 && d.Scale < 40 {
			return new(big.Rat).SetFrac(big.NewInt(v.Int64()), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)).FloatString(int(d.Scale))
		}
	}
	return v.String()
}

// classNames returns the names that Hugging Face's datasets give the classes 0, 1, …, or nil.
func classNames(file *parquet.File, column string) []string {
	var h struct {
		Info struct {
			Features map[string]json.RawMessage
		}
	}
	var feature struct {
		Names []string
		Type  string `json:"_type"`
	}
	value, _ := file.Lookup("huggingface")
	if json.Unmarshal([]byte(value), &h) != nil || json.Unmarshal(h.Info.Features[column], &feature) != nil ||
		feature.Type != "ClassLabel" || len(feature.Names) == 0 {
		return nil
	}
	return feature.Names
}

// parquetDamage explains an error of reading a Parquet file.
func parquetDamage(where string, err error) error {
	_, advice := errors.AsType[adviceError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: cut off or damaged: the file is not whole, get it again", where)
	case advice:
		return fmt.Errorf("%s: %w", where, err)
	}
	return fmt.Errorf("%s: damaged (%w): get the file again", where, err)
}

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
// it lies in the file and decompresses to the size it declares, which is within the limits. Package
// parquet verifies checksums.
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
		if err := checkPage(&h, b, m.Codec); err != nil {
			return err
		}
	}
	return nil
}

// checkPage checks that a page decompresses to the size that it declares.
func checkPage(h *format.PageHeader, b []byte, codec format.CompressionCodec) error {
	size := int(h.UncompressedPageSize)
	if h.Type == format.DataPageV2 {
		v := &h.DataPageHeaderV2.V
		levels := int(v.RepetitionLevelsByteLength) + int(v.DefinitionLevelsByteLength) // not compressed
		if levels < 0 || levels > min(len(b), size) {
			return errSize
		}
		if v.IsCompressed.Valid && !v.IsCompressed.V {
			return nil
		}
		b, size = b[levels:], size-levels
	}
	return decompress(b, codec, size)
}

// decompress checks the size of what b decompresses to where package parquet would make room for
// anything, or for more and more.
func decompress(b []byte, codec format.CompressionCodec, size int) (err error) {
	n := size
	switch codec {
	case format.Snappy:
		n, err = snappy.DecodedLen(b)
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(b, make([]byte, size))
	case format.Zstd:
		var h zstd.Header
		if err = h.Decode(b); err == nil && h.HasFCS {
			n = int(h.FrameContentSize)
		}
	}
	if err != nil || n > size {
		return errors.Join(err, errSize)
	}
	return nil
}
