//go:build !js

package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"imdbexp/dataset/internal/stream"
)

func isParquet(f *os.File) (bool, error) {
	var head [4]byte
	n, err := f.ReadAt(head[:], 0)
	if err == io.EOF {
		err = nil
	}
	return n == 4 && (string(head[:]) == "PAR1" || string(head[:]) == "PARE"), err
}

// readParquet reads the chosen columns row by row with package parquet, which allocates the
// sizes that a file declares: checkFooter and checkChunk compare them with the file first.
func readParquet(e *emitter, f *os.File, size int64) error {
	e.how.Format = Parquet
	if e.o.Class != "" {
		return fmt.Errorf("%s: is Parquet; a class needs a file with one text per line", e.file)
	}
	if _, err := encodingOf(e.o.Encoding); err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
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
