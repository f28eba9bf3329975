package tables

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"imdbexp/dataset/internal/stream"
)

// What the description of a Parquet file may hold.
const (
	maxFooter = 64 << 20 // bytes; statistics hold texts
	maxItems  = 1 << 18  // elements of lists
)

func isParquet(f *os.File) (bool, error) {
	var head [4]byte
	n, err := f.ReadAt(head[:], 0)
	if err == io.EOF {
		err = nil
	}
	return n == 4 && (string(head[:]) == "PAR1" || string(head[:]) == "PARE"), err
}

// readParquet reads two flat columns row by row. The description of the file is
// read by package parquet, the pages here: that package makes room for whatever
// sizes and repetitions a page announces, so that a damaged bit may ask for
// gigabytes. Here a page holds no more than the limits allow.
func readParquet(e *emitter, f *os.File, size int64) (How, error) {
	how := How{Format: Parquet}
	if e.o.Class != "" {
		return how, fmt.Errorf("%s: is Parquet; a class has a file with one text a line", e.file)
	}
	if e.o.Encoding != "" {
		if _, err := decode(emptyReader{}, e.o.Encoding); err != nil {
			return how, fmt.Errorf("%s: %w", e.file, err)
		}
	}
	in := &meterAt{e.meter(nil, size), f}
	meta, err := readFooter(in, size)
	if err != nil {
		return how, parquetDamage(e.file, err)
	}
	leaves, err := leavesOf(meta, e.o.Limits)
	if err != nil {
		return how, fmt.Errorf("%s: %w", e.file, err)
	}
	names := make([]string, len(leaves))
	for i, l := range leaves {
		names[i] = l.name
	}
	text, label, err := choose(names, e.o)
	if err != nil {
		return how, fmt.Errorf("%s: %w", e.file, err)
	}
	how.Text = names[text]
	if leaves[text].kind != format.ByteArray {
		return how, e.fail(place{}, how.Text, fmt.Errorf("holds %s, not text", leaves[text].kind))
	}
	var classes []string
	if label >= 0 {
		how.Label = names[label]
		classes = classNames(meta, how.Label)
	}
	id, err := chooseID(names, e.o)
	if err != nil {
		return how, fmt.Errorf("%s: %w", e.file, err)
	}
	if id >= 0 {
		how.ID = names[id]
	}
	split := chooseSplit(names, e.o)
	if split >= 0 {
		how.Split = names[split]
	}
	g := rowGroups{emitter: e, in: in, size: size, leaves: leaves, chosen: [columnsRead]int{text, label, id, split}, classes: classes, how: how}
	for i := range meta.RowGroups {
		if err := g.read(&meta.RowGroups[i]); err != nil {
			return how, err
		}
	}
	return how, nil
}

// Columns that are read of a row, in this order; there may be no leaf of some.
const (
	textColumn = iota
	labelColumn
	idColumn
	splitColumn
	columnsRead
)

// rowGroups reads the parts of a file, one after the other.
type rowGroups struct {
	*emitter
	in      io.ReaderAt
	size    int64
	leaves  []leaf
	chosen  [columnsRead]int // leaf of each column, −1 for none
	classes []string         // of labels that are numbers, nil without
	how     How
	row     int // the last one read, from 1
}

// read reads one part. Its columns, each with a page and a decoder, go with it.
func (r *rowGroups) read(g *format.RowGroup) error {
	if g.NumRows < 0 || g.NumRows > int64(r.o.Limits.Records) {
		return fmt.Errorf("%s: %d rows: more than %d, or damaged", r.file, g.NumRows, r.o.Limits.Records)
	}
	var columns [columnsRead]*column
	for c, leaf := range r.chosen {
		if leaf < 0 {
			continue
		}
		var err error
		if columns[c], err = openColumn(r.in, r.size, g, r.leaves[leaf], r.o.Limits); err != nil {
			return parquetDamage(r.at(place{unit: "row", number: r.row + 1})+", column "+quote(r.leaves[leaf].name), err)
		}
		defer columns[c].close()
	}
	for range g.NumRows {
		r.row++
		p := place{unit: "row", number: r.row}
		var values [columnsRead]string
		for c, leaf := range r.chosen {
			if leaf < 0 {
				continue
			}
			value, null, err := columns[c].next()
			if err != nil {
				return parquetDamage(r.at(p)+", column "+quote(r.leaves[leaf].name), err)
			}
			if c == labelColumn && r.classes != nil && !null {
				if value, err = className(r.classes, value); err != nil {
					return r.fail(p, r.how.Label, err)
				}
			}
			values[c] = value
		}
		record := Record{Text: values[textColumn], Label: values[labelColumn], ID: values[idColumn], Split: values[splitColumn]}
		if err := r.record(p, r.how, record); err != nil {
			return err
		}
	}
	return nil
}

// readFooter reads the description of a file, once it announces no more than
// there is.
func readFooter(f io.ReaderAt, size int64) (*format.FileMetaData, error) {
	var end [8]byte
	if size < 12 {
		return nil, errCut
	}
	if _, err := f.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	if string(end[4:]) == "PARE" {
		return nil, errors.New("is encrypted: write it again without that")
	}
	n := int64(binary.LittleEndian.Uint32(end[:4]))
	if string(end[4:]) != "PAR1" || n > size-12 {
		return nil, errCut
	}
	if n > maxFooter {
		return nil, fmt.Errorf("its footer has %d bytes, more than the %d allowed: keep the columns of text and label", n, maxFooter)
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, size-8-n); err != nil {
		return nil, err
	}
	c := compact{b: b, items: maxItems}
	if err := c.structure(nil); err != nil {
		return nil, err
	}
	if c.at != len(b) {
		return nil, errCompact
	}
	meta := new(format.FileMetaData)
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, b, meta); err != nil {
		return nil, err
	}
	return meta, nil
}

// leaf is a column that is not inside another.
type leaf struct {
	name     string
	kind     format.Type
	index    int // among the columns of a row group
	optional bool
}

// leavesOf returns the plain columns. The schema is a tree, written depth first.
func leavesOf(meta *format.FileMetaData, limits Limits) ([]leaf, error) {
	schema := meta.Schema
	if len(schema) == 0 || len(schema) > limits.Columns+1 {
		return nil, fmt.Errorf("has %d columns, and 1 to %d can be read: keep those of text and label", len(schema)-1, limits.Columns)
	}
	var out []leaf
	var open []int64 // children to come, of each group that the element is in
	index := 0
	for i, s := range schema {
		if s.NumChildren.Valid && s.NumChildren.V > 0 {
			if i > 0 && len(open) > 0 {
				open[len(open)-1]--
			}
			open = append(open, int64(s.NumChildren.V))
		} else {
			repetition := s.RepetitionType.V
			if i > 0 && len(open) == 1 && s.Type.Valid && repetition != format.Repeated {
				out = append(out, leaf{s.Name, s.Type.V, index, repetition == format.Optional})
			}
			index++
			if len(open) > 0 {
				open[len(open)-1]--
			}
		}
		for len(open) > 1 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
	}
	return out, nil
}

// classNames returns what Hugging Face's datasets call the classes 0, 1, …, or nil.
func classNames(meta *format.FileMetaData, column string) []string {
	var h struct {
		Info struct {
			Features map[string]json.RawMessage
		}
	}
	for _, kv := range meta.KeyValueMetadata {
		if kv.Key == "huggingface" && json.Unmarshal([]byte(kv.Value), &h) == nil {
			var feature struct {
				Names []string
				Type  string `json:"_type"`
			}
			if json.Unmarshal(h.Info.Features[column], &feature) == nil && feature.Type == "ClassLabel" && len(feature.Names) > 0 {
				return feature.Names
			}
		}
	}
	return nil
}

// className returns the name of a class; −1 stands for none.
func className(classes []string, label string) (string, error) {
	i, err := strconv.Atoi(label)
	switch {
	case err != nil || i < -1 || i >= len(classes):
		return "", fmt.Errorf("the label %s is none of the %d classes that the file names", quote(label), len(classes))
	case i < 0:
		return "", nil
	}
	return classes[i], nil
}

// parquetDamage explains an error met at a place.
func parquetDamage(where string, err error) error {
	switch {
	case errors.Is(err, errCut), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: cut off or damaged: the file is not whole, get it again", where)
	case errors.Is(err, errCompact):
		return fmt.Errorf("%s: damaged (%w): get the file again", where, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// meterAt counts what is read at any place of a file.
type meterAt struct {
	*stream.Meter
	f io.ReaderAt
}

func (m *meterAt) ReadAt(p []byte, at int64) (int, error) {
	m.R = io.NewSectionReader(m.f, at, int64(len(p)))
	if len(p) == 0 {
		return 0, m.Context.Err()
	}
	return io.ReadFull(m.Meter, p)
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, io.EOF }
