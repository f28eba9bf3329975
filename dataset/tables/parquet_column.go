package tables

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// column reads the values of a column in a row group, page by page.
type column struct {
	file    io.ReaderAt
	leaf    leaf
	codec   format.CompressionCodec
	limits  Limits
	unpack  unpacker
	at, end int64 // of the pages to come
	rows    int64 // to come, with those of the page

	left    int64   // values of the page to come, nulls among them
	levels  *hybrid // 1 for a value, 0 for null; nil where all are values
	values  func() (string, error)
	entries []string // of the dictionary
}

func openColumn(f io.ReaderAt, size int64, g *format.RowGroup, l leaf, limits Limits) (*column, error) {
	if l.index >= len(g.Columns) {
		return nil, errCompact
	}
	m := &g.Columns[l.index].MetaData
	start := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	switch {
	case g.Columns[l.index].FilePath != "":
		return nil, errors.New("lies in another file: write all columns into one")
	case start < 4 || m.TotalCompressedSize < 0 || start > size || m.TotalCompressedSize > size-start:
		return nil, errCut
	case m.Type != l.kind || m.NumValues != g.NumRows:
		return nil, errCompact
	}
	return &column{file: f, leaf: l, codec: m.Codec, limits: limits, at: start, end: start + m.TotalCompressedSize, rows: g.NumRows}, nil
}

func (c *column) close() { c.unpack.close() }

// next returns the next value; null gives an empty one.
func (c *column) next() (value string, null bool, err error) {
	for c.left == 0 {
		if err := c.page(); err != nil {
			return "", false, err
		}
	}
	c.left--
	c.rows--
	if c.levels != nil {
		level, err := c.levels.next()
		if err != nil || level == 0 {
			return "", true, err
		}
	}
	value, err = c.values()
	return value, false, err
}

// pageHeader is what the header of a page says, see format.PageHeader.
type pageHeader struct {
	kind              format.PageType
	compressed, whole int64 // bytes
	values            int64
	encoding          format.Encoding
	levels            format.Encoding
	// Of the second version: levels stand before the rest and are never compressed.
	definition, repetition int64 // bytes
	plain                  bool  // the rest is not compressed either
	crc                    uint32
	hasCRC                 bool
}

// visit takes the fields as compact tells them.
func (h *pageHeader) visit(outer, field int, v int64) {
	switch [2]int{outer, field} {
	case [2]int{0, 1}:
		h.kind = format.PageType(v)
	case [2]int{0, 2}:
		h.whole = v
	case [2]int{0, 3}:
		h.compressed = v
	case [2]int{0, 4}:
		h.crc, h.hasCRC = uint32(v), true
	case [2]int{5, 1}, [2]int{7, 1}, [2]int{8, 1}:
		h.values = v
	case [2]int{5, 2}, [2]int{7, 2}, [2]int{8, 4}:
		h.encoding = format.Encoding(v)
	case [2]int{5, 3}:
		h.levels = format.Encoding(v)
	case [2]int{8, 5}:
		h.definition = v
	case [2]int{8, 6}:
		h.repetition = v
	case [2]int{8, 7}:
		h.plain = v == 0
	}
}

// header reads the header of the next page.
func (c *column) header() (h pageHeader, err error) {
	most := min(4*c.limits.RecordBytes+1<<16, c.end-c.at) // statistics hold up to four texts
	for window := int64(1 << 10); ; window <<= 4 {
		window = min(window, most)
		b := make([]byte, window)
		if _, err := c.file.ReadAt(b, c.at); err != nil {
			return h, err
		}
		h = pageHeader{kind: -1, whole: -1, compressed: -1, values: -1, encoding: -1, levels: format.RLE}
		walk := compact{b: b, items: 1 << 10}
		err := walk.structure(h.visit)
		if err == errCut && window < most {
			continue
		}
		c.at += int64(walk.at)
		return h, err
	}
}

// page reads the next page and makes its values ready.
func (c *column) page() error {
	if c.at >= c.end {
		return errCut
	}
	h, err := c.header()
	if err != nil {
		return err
	}
	most := 2 * c.limits.RecordBytes // a page holds one text at least
	switch {
	case h.compressed < 0 || h.whole < 0 || h.definition < 0 || h.repetition < 0:
		return errCompact
	case h.compressed > c.end-c.at:
		return errCut
	case max(h.whole, h.compressed) > most:
		return fmt.Errorf("has a page of %d bytes, more than the %d allowed: write it in smaller ones", max(h.whole, h.compressed), most)
	case h.kind == format.IndexPage:
		c.at += h.compressed
		return nil
	case h.values < 0 || h.values > c.rows && h.kind != format.DictionaryPage || h.values > int64(c.limits.Records):
		return errCompact
	}
	b := make([]byte, h.compressed)
	if _, err := c.file.ReadAt(b, c.at); err != nil {
		return err
	}
	c.at += h.compressed
	if h.hasCRC && h.crc != crcOf(b) {
		return fmt.Errorf("%w: a page has another checksum", errCompact)
	}
	switch h.kind {
	case format.DictionaryPage:
		return c.dictionary(h, b)
	case format.DataPage:
		return c.first(h, b)
	case format.DataPageV2:
		return c.second(h, b)
	}
	return errCompact
}

// first reads a page of the first version: levels and values are compressed together.
func (c *column) first(h pageHeader, b []byte) error {
	b, err := c.unpack.bytes(c.codec, b, h.whole)
	if err != nil {
		return err
	}
	c.levels = nil
	if c.leaf.optional {
		if h.levels != format.RLE {
			return fmt.Errorf("has levels encoded as %s: write it again with a newer program", h.levels)
		}
		levels, rest, err := sized(b)
		if err != nil {
			return err
		}
		c.levels, b = &hybrid{b: levels, width: 1}, rest
	}
	return c.ready(h, b)
}

// second reads a page of the second version.
func (c *column) second(h pageHeader, b []byte) error {
	n := h.repetition + h.definition
	if n > int64(len(b)) || n > h.whole {
		return errCompact
	}
	c.levels = nil
	if c.leaf.optional {
		c.levels = &hybrid{b: b[h.repetition:n], width: 1}
	}
	codec := c.codec
	if h.plain {
		codec = format.Uncompressed
	}
	b, err := c.unpack.bytes(codec, b[n:], h.whole-n)
	if err != nil {
		return err
	}
	return c.ready(h, b)
}

// dictionary reads the values that later pages refer to.
func (c *column) dictionary(h pageHeader, b []byte) error {
	b, err := c.unpack.bytes(c.codec, b, h.whole)
	if err != nil {
		return err
	}
	next, err := plainValues(c.leaf.kind, b)
	if err != nil {
		return err
	}
	c.entries = make([]string, 0, min(h.values, int64(len(b))))
	for range h.values {
		v, err := next()
		if err != nil {
			return err
		}
		c.entries = append(c.entries, v)
	}
	return nil
}

// ready chooses how the values of a page are read.
func (c *column) ready(h pageHeader, b []byte) (err error) {
	c.left = h.values
	switch h.encoding {
	case format.Plain:
		c.values, err = plainValues(c.leaf.kind, b)
	case format.PlainDictionary, format.RLEDictionary:
		c.values, err = c.references(b)
	case format.RLE:
		c.values, err = runValues(c.leaf.kind, b)
	default:
		err = fmt.Errorf("is encoded as %s: write it as PLAIN or with a dictionary", h.encoding)
	}
	return err
}

// references reads values as places in the dictionary.
func (c *column) references(b []byte) (func() (string, error), error) {
	if len(b) == 0 { // of nulls alone
		b = []byte{0}
	}
	if b[0] > 32 {
		return nil, errCompact
	}
	places := &hybrid{b: b[1:], width: uint(b[0])}
	return func() (string, error) {
		i, err := places.next()
		if err != nil {
			return "", err
		}
		if int64(i) >= int64(len(c.entries)) {
			return "", errCompact
		}
		return c.entries[i], nil
	}, nil
}
