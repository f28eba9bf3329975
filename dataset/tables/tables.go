// Package tables reads labelled texts from CSV, TSV, JSON lines, Parquet, lines of label
// and text, plain text of one class, and folders with a sub-folder for each class. Text
// formats may be compressed with gzip or zstd.
//
// Read yields one Record per text, or pair of sentences, in the order of the file. It holds one record (of Parquet one page) in memory,
// within Limits. Errors name the file, the line or row and the column, and how to fix it.
package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
)

// Record is one text with its label.
type Record struct {
	ID    string // as written; "" without a column of IDs
	Split string // name of the part, as written; "" without a column of parts
	Label string // as written, trimmed; "" if Options.Unlabelled; may be "" if there is a Split
	Text  string // valid UTF-8 without NUL, may be empty

	// Rationale holds the parts of the text that are marked as reasons for its label,
	// [from, to) in bytes, in order, not overlapping.
	Rationale [][2]int

	Where string // file and line, row or entry, for messages
}

// Options configures Read. The zero value reads most files.
type Options struct {
	Columns    [Roles]string     // name of the column with each role; "": a usual name
	Header     string            // whether the first row of a table names its columns: yes, no, or no with names (a,b); "": detected
	Encoding   string            // of text files: "" or utf-8, latin1, windows-1252
	Class      string            // every line of the file is a text of this class
	Unlabelled bool              // texts alone; a column of labels is ignored
	Asked      bool              // texts for a model to predict: labels are optional
	Format     Format            // "": detected
	IsLabel    func(string) bool // if Asked: the labels that the model knows; may be nil
	Limits     dataset.Limits

	KeepEntities bool // leave HTML entities such as &quot;, and \n and \", as they are

	Progress func(done, total int64) // bytes of the file on disk

	// Pairs reads sentences, as texts, with their translations, as labels. The file is TSV or CSV with the columns
	// source, target and optionally split, in that order or as named in a first line (also src and tgt), or JSON
	// lines with these keys. Other text is read as TSV. Of the other options it uses Encoding, Header, Limits and
	// Progress.
	Pairs bool
}

// maxColumns is the maximum number of columns of a table.
const maxColumns = 4096

// How describes how Read read a file.
type How struct {
	Format  Format
	Columns [Roles]string // their names, or "column 2" without a header; "" for none
	Guess   string        // how the first row was read, if that is not sure

	Entities int // records with decoded HTML entities or escapes

	pairs bool
}

// String returns a short description: CSV, text from review, labels from sentiment.
func (h How) String() string {
	s, roles := string(h.Format), [Roles]string{"text", "labels", "names", "rationales", "parts", "titles"}
	if h.pairs {
		roles = [Roles]string{Text: "source", Label: "target", Split: "split"}
	}
	for role, column := range h.Columns {
		if column != "" {
			s += ", " + roles[role] + " from " + column
		}
	}
	return s
}

// Read reads a file or folder and yields its records until yield returns an error or the
// context ends. It detects the format from the content and the extension.
func Read(ctx context.Context, file string, o Options, yield func(Record) error) (How, error) {
	e := &emitter{ctx: ctx, file: file, o: o, yield: yield}
	return e.run(e.read)
}

// ReadFrom is Read for a stream such as standard input, which holds a text format.
// Messages call it name.
func ReadFrom(ctx context.Context, r io.Reader, name string, o Options, yield func(Record) error) (How, error) {
	e := &emitter{ctx: ctx, file: name, o: o, yield: yield, stream: true}
	return e.run(func() error { return e.readText(r, 0) })
}

// run calls read. It turns a panic of a library on damaged input into an error.
func (e *emitter) run(read func() error) (how How, err error) {
	defer func() {
		if p := recover(); p != nil {
			how, err = How{}, fmt.Errorf("%s: damaged (%v): get the file again", e.file, p)
		}
	}()
	if o := e.o; o.Pairs {
		e.o = Options{Encoding: o.Encoding, Header: o.Header, Limits: o.Limits, Progress: o.Progress, Asked: true, Pairs: true}
	}
	e.o.Limits = e.o.Limits.OrDefault()
	e.left, e.how.pairs = e.o.Limits, e.o.Pairs
	err = e.finish(read())
	return e.how, err
}

func (e *emitter) read() error {
	info, err := os.Stat(e.file)
	if err != nil {
		return err
	}
	o := e.o
	switch {
	case info.IsDir() && (o.Pairs || o.Class != "" || o.Format != "" && o.Format != Folder):
		return fmt.Errorf("%s: is a folder; give a file, with one text or pair per line", e.file)
	case info.IsDir():
		return readFolder(e)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file; copy it to one first", e.file)
	}
	f, err := os.Open(e.file)
	if err != nil {
		return err
	}
	defer f.Close()
	parquet, err := isParquet(f)
	if err == nil {
		err = stream.CheckPointer(f)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", e.file, err)
	case !parquet || o.Format != "" && o.Format != Parquet:
		return e.readText(f, info.Size())
	case o.Pairs:
		return fmt.Errorf("%s: is Parquet; write sentence pairs as TSV", e.file)
	}
	return readParquet(e, f, info.Size())
}

func (e *emitter) readText(r io.Reader, size int64) error {
	in, err := openText(e, r, size)
	if err != nil {
		return err
	}
	defer in.packed.Close()
	format, err := formatOf(in, e.o)
	if err != nil {
		return err
	}
	if e.o.Pairs && format == Plain {
		format = TSV
	}
	read := map[Format]func(*table, *text) error{
		CSV: readCSV, TSV: readTSV, JSONL: readJSONL, Lines: readLabelled, Plain: readPlain,
	}[format]
	if read == nil {
		return fmt.Errorf("%s: is not %s", e.file, format)
	}
	e.how.Format = format
	return in.explain(read(&table{emitter: e}, in))
}

var errEmpty = errors.New("is empty")
