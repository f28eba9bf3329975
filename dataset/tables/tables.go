// Package tables reads labelled texts as people keep them: CSV, TSV, lines of
// JSON, Parquet, lines of label and text, plain text of one class, and folders
// with a sub-folder a class. Text formats may be compressed by gzip or zstd.
//
// Read yields one Record a text, in the order of the file, and knows nothing of
// splits or classes; ReadPairs does the same for sentences and their translations.
// Both hold no more than a record (of Parquet a page) in memory, and Limits bound
// what they read. Errors name the file, the line or row and the column, and say what
// to do.
package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Record is one text with its label.
type Record struct {
	ID    string // as it is written; "" where there is no column of them
	Split string // which part it is of, as it is written; "" where there is no column of that
	Label string // as it is written, without blanks around it; "" where Options.Unlabelled, and perhaps where there is a Split
	Text  string // valid UTF-8 without NUL, may be empty

	// Rationale are the parts of the text that are marked as reasons for its label, [from, to)
	// in bytes, rising and apart; none where there is no column of them.
	Rationale [][2]int

	Where string // file and line, row or entry, for messages

	rationale string // as it is written
}

// Options says how a file is to be read; the zero value will do for most.
type Options struct {
	TextColumn  string // name; "" looks for a usual one
	LabelColumn string // name; "" looks for a usual one
	IDColumn    string // name; "" looks for a usual one where Asked
	Rationales  string // name of a column; "" looks for a usual one, unless Asked
	Encoding    string // of text files: "" or utf-8, latin1, windows-1252
	Class       string // every line of the file is a text of this class
	Unlabelled  bool   // texts alone; a column of labels is passed over
	Asked       bool   // texts that a model is asked about: labels where there are any, plain text without
	Format      Format // "" looks
	Limits      Limits
	Progress    func(done, total int64) // bytes of the file as it lies on disk

	pairs bool // see ReadPairs
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
	ID          string // the same of what names the texts
	Rationale   string // the same of what marks the reasons
	Split       string // the same of what names the part that a text is of
	Other       string // of two columns, where texts are Asked about, the one that is none of these

	Guessed bool // of pairs: the first line was taken for names, though not for source and target

	pairs bool // Text, Label and ID are of source, target and split
}

// String describes it in a few words: CSV, text from review, labels from sentiment.
func (h How) String() string {
	s, roles := string(h.Format), [5]string{"text", "labels", "names", "rationales", "parts"}
	if h.pairs {
		roles = [5]string{"source", "target", "split"}
	}
	for i, column := range []string{h.Text, h.Label, h.ID, h.Rationale, h.Split} {
		if column != "" {
			s += ", " + roles[i] + " from " + column
		}
	}
	return s
}

// Read reads a file or folder and yields its records until yield or the context
// ends it. What it takes the file for shows in its content and the end of its
// name.
func Read(ctx context.Context, file string, o Options, yield func(Record) error) (how How, err error) {
	defer guard(file, &how, &err)
	e := newEmitter(ctx, file, o, yield)
	info, err := os.Stat(file)
	if err != nil {
		return How{}, err
	}
	if info.IsDir() {
		if o.pairs {
			return How{}, fmt.Errorf("%s: is a folder; sentence pairs are lines of one file", file)
		}
		if o.Class != "" {
			return How{}, fmt.Errorf("%s: is a folder; a class has a file with one text a line", file)
		}
		if o.Format != "" && o.Format != Folder {
			return How{}, fmt.Errorf("%s: is a folder, not %s", file, o.Format)
		}
		return readFolder(e)
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
	} else if parquet && (o.Format == "" || o.Format == Parquet) {
		if o.pairs {
			return How{}, fmt.Errorf("%s: is Parquet, of which sentence pairs are not read: write them as TSV", file)
		}
		return readParquet(e, f, info.Size())
	}
	return e.readText(f, info.Size())
}

// ReadFrom is Read for what cannot be read twice, such as standard input: text in
// all its formats. name is what messages call it.
func ReadFrom(ctx context.Context, r io.Reader, name string, o Options, yield func(Record) error) (how How, err error) {
	defer guard(name, &how, &err)
	e := newEmitter(ctx, name, o, yield)
	e.stream = true
	return e.readText(r, 0)
}

// guard turns a panic, whatever a library does with what is damaged, into an error.
func guard(file string, how *How, err *error) {
	if p := recover(); p != nil {
		*how, *err = How{}, fmt.Errorf("%s: damaged (%v): get the file again", file, p)
	}
}

func newEmitter(ctx context.Context, file string, o Options, yield func(Record) error) *emitter {
	o.Limits = o.Limits.orDefault()
	return &emitter{ctx: ctx, file: file, o: o, left: o.Limits, yield: yield}
}

func (e *emitter) readText(r io.Reader, size int64) (how How, err error) {
	in, err := openText(e, r, size)
	if err != nil {
		return How{}, err
	}
	defer in.close()
	format := e.o.Format
	if format == "" {
		if format, err = formatOf(in, e.o); err != nil {
			return How{}, err
		}
	} else {
		head, _ := in.head() // an error comes again
		switch parquet := bytes.HasPrefix(head, parquetMagic); {
		case parquet && format == Parquet:
			return How{}, fmt.Errorf("%s: %w", e.file, errParquet)
		case parquet && isBinary(head):
			return How{}, fmt.Errorf("%s: is Parquet, not %s", e.file, format)
		case isBinary(head):
			return How{}, noText(e.file)
		}
		in.takeSep()
	}
	if e.o.pairs && format == Plain {
		format = TSV
	}
	read, ok := map[Format]func(*emitter, *text) (How, error){
		CSV: readCSV, TSV: readTSV, JSONL: readJSONL, Lines: readLabelled, Plain: readPlain,
	}[format]
	if !ok {
		return How{}, fmt.Errorf("%s: is not %s", e.file, format)
	}
	how, err = read(e, in)
	return how, in.explain(err)
}

// errEmpty says that there is nothing to read.
var errEmpty = errors.New("is empty")
