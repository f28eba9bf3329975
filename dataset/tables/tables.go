// Package tables reads labelled texts as people keep them: CSV, TSV, lines of
// JSON, Parquet, lines of label and text, plain text of one class, and folders
// with a sub-folder a class. Text formats may be compressed by gzip or zstd.
//
// Read yields one Record a text, in the order of the file, and knows nothing of
// splits or classes. It holds no more than a record (of Parquet a page) in
// memory; Limits bound both. Errors name the file, the line or row and the
// column, and say what to do.
package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Record is one text with its label.
type Record struct {
	Label string // as it is written, without blanks around it; "" where Options.Unlabelled
	Text  string // valid UTF-8 without NUL, may be empty
	Where string // file and line, row or entry, for messages
}

// Options says how a file is to be read; the zero value will do for most.
type Options struct {
	TextColumn  string // name; "" looks for a usual one
	LabelColumn string // name; "" looks for a usual one
	Encoding    string // of text files: "" or utf-8, latin1, windows-1252
	Class       string // every line of the file is a text of this class
	Unlabelled  bool   // texts alone; a column of labels is passed over
	Limits      Limits
	Progress    func(done, total int64) // bytes of the file as it lies on disk
}

// Limits bound what is read, so that a damaged or hostile file ends in an error
// and not in exhausted memory. Zero fields mean DefaultLimits.
type Limits struct {
	RecordBytes int64 // of one text, line or row
	TotalBytes  int64 // of everything, decompressed
	Records     int
	Columns     int
}

// DefaultLimits are far above what reviews need.
var DefaultLimits = Limits{RecordBytes: 64 << 20, TotalBytes: 8 << 30, Records: 10_000_000, Columns: 4096}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	if l.RecordBytes > 0 {
		d.RecordBytes = l.RecordBytes
	}
	if l.TotalBytes > 0 {
		d.TotalBytes = l.TotalBytes
	}
	if l.Records > 0 {
		d.Records = l.Records
	}
	if l.Columns > 0 {
		d.Columns = l.Columns
	}
	return d
}

// How says what Read took a file for.
type How struct {
	Format      Format
	Text, Label string // columns by name, or "column 2" of a table without header; "" where there are none
}

// String describes it in a few words: CSV, text from review, labels from sentiment.
func (h How) String() string {
	s := string(h.Format)
	if h.Text != "" {
		s += ", text from " + h.Text
	}
	if h.Label != "" {
		s += ", labels from " + h.Label
	}
	return s
}

// Read reads a file or folder and yields its records until yield or the context
// ends it. What it takes the file for shows in its content and the end of its
// name.
func Read(ctx context.Context, file string, o Options, yield func(Record) error) (how How, err error) {
	defer func() {
		if p := recover(); p != nil { // whatever a library does with what is damaged
			how, err = How{}, fmt.Errorf("%s: damaged (%v): get the file again", file, p)
		}
	}()
	o.Limits = o.Limits.orDefault()
	e := &emitter{ctx: ctx, file: file, o: o, left: o.Limits, yield: yield}
	info, err := os.Stat(file)
	if err != nil {
		return How{}, err
	}
	if info.IsDir() {
		if o.Class != "" {
			return How{}, fmt.Errorf("%s: is a folder; a class has a file with one text a line", file)
		}
		return How{Format: Folder}, readFolder(e)
	}
	if !info.Mode().IsRegular() {
		return How{}, fmt.Errorf("%s: is no plain file: write it to one first", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return How{}, err
	}
	defer f.Close()
	if parquet, err := isParquet(f); err != nil {
		return How{}, fmt.Errorf("%s: %w", file, err)
	} else if parquet {
		return readParquet(e, f, info.Size())
	}
	in, err := openText(e, f, info.Size())
	if err != nil {
		return How{}, err
	}
	defer in.close()
	format, err := formatOf(file, in, o)
	if err != nil {
		return How{}, err
	}
	read := map[Format]func(*emitter, *text) (How, error){
		CSV: readCSV, TSV: readTSV, JSONL: readJSONL, Lines: readLabelled, Plain: readPlain,
	}[format]
	how, err = read(e, in)
	return how, in.explain(err)
}

// errEmpty says that there is nothing to read.
var errEmpty = errors.New("is empty")
