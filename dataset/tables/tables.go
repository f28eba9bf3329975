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
	"slices"
	"strings"

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
	// lines with these keys. Other text is read as TSV. Of the other options it uses Header, Limits and Progress.
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
		e.o = Options{Header: o.Header, Limits: o.Limits, Progress: o.Progress, Asked: true, Pairs: true}
	}
	e.o.Limits = e.o.Limits.OrDefault()
	e.left, e.how.pairs = e.o.Limits, e.o.Pairs
	err = read()
	return e.how, e.finish(err)
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
	head := make([]byte, 4)
	n, _ := f.ReadAt(head, 0) // an error comes again
	parquet := slices.Contains([]string{"PAR1", "PARE"}, string(head[:n]))
	switch err := stream.CheckPointer(f); {
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
	return read(&table{emitter: e}, in)
}

var errEmpty = errors.New("is empty")

// NoLabel is the error of a review without a label.
const NoLabel = "has no label: add one, or move the text to a file for --unlabelled"

// emitter checks records and yields them.
type emitter struct {
	ctx    context.Context
	file   string
	o      Options
	left   dataset.Limits
	yield  func(Record) error
	stream bool // not a file

	how   How
	wrong []string // rows, each with its place
}

// atLine is the place of a line in a file, for messages.
func atLine(n int) string { return fmt.Sprintf(": line %d", n) }

// fail adds the place and the column, if any, to an error.
func (e *emitter) fail(place, column string, err error) error {
	if column != "" {
		place += ", column " + stream.Quote(column)
	}
	return fmt.Errorf("%s%s: %w", e.file, place, err)
}

// record checks the fields of one record and yields it.
func (e *emitter) record(place string, f fields) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if f[Title] != "" {
		f[Text] = f[Title] + "\n" + f[Text]
		f[Title] = ""
	}
	e.left.Reviews--
	for _, s := range f {
		e.left.TotalBytes -= int64(len(s))
	}
	switch {
	case e.left.Reviews < 0:
		return e.fail(place, "", fmt.Errorf("more than %d texts: add fewer", e.o.Limits.Reviews))
	case e.left.TotalBytes < 0:
		return e.fail(place, "", fmt.Errorf("more than %d bytes of text: add less", e.o.Limits.TotalBytes))
	case int64(len(f[Text])) > e.o.Limits.ReviewBytes:
		return e.bad(place, Text, stream.TooLong(e.o.Limits.ReviewBytes).Error())
	}
	f[Label], f[Split] = strings.TrimSpace(f[Label]), strings.TrimSpace(f[Split])
	if e.o.Pairs {
		if f[Text] = strings.TrimSpace(f[Text]); int64(len(f[Label])) > e.o.Limits.ReviewBytes {
			return e.bad(place, Label, stream.TooLong(e.o.Limits.ReviewBytes).Error())
		}
	}
	if e.o.Unlabelled {
		f[Label] = ""
	} else if f[Label] == "" && !e.o.Asked && f[Split] == "" {
		return e.bad(place, Label, NoLabel)
	}
	if !e.o.Pairs {
		f[Label] = strings.TrimPrefix(f[Label], fastTextPrefix)
	}
	for role, s := range f {
		if err := check(s); err != nil {
			return e.bad(place, role, err.Error())
		}
	}
	spans, err := marked(f[Text], f[Rationale])
	if err != nil {
		return e.bad(place, Rationale, err.Error())
	}
	if !e.o.KeepEntities {
		var inText, inLabel bool
		f[Text], inText = decodeEntities(f[Text], spans)
		f[Label], inLabel = decodeEntities(f[Label], nil)
		if inText || inLabel {
			e.how.Entities++
		}
	}
	err = e.yield(Record{ID: f[ID], Split: f[Split], Label: f[Label], Text: f[Text], Where: e.file + place, Rationale: spans})
	if wrong, is := err.(*RowError); is {
		return e.bad(place, wrong.Role, wrong.Text)
	}
	return err
}

// meter returns a reader that reports progress.
func (e *emitter) meter(r io.Reader, size int64) *stream.Meter {
	return &stream.Meter{Context: e.ctx, R: r, Total: size, Progress: e.o.Progress}
}

// check returns an error if s is not text.
func check(s string) error {
	return stream.NotText(s, "save the file as UTF-8, or convert it with iconv -f windows-1252 -t UTF-8")
}

// RowError is an error of one row, behind which Read goes on to find others. A function that Read yields records to
// may return one.
type RowError struct {
	Role int // whose field is wrong; Roles: the row
	Text string
}

func (e *RowError) Error() string { return e.Text }

// mostWrong is how many wrong rows are reported at once.
const mostWrong = 5

// errEnough ends the reading of a file with wrong rows.
var errEnough = errors.New("enough")

// bad records a wrong row. It returns errEnough when reading shall stop: after mostWrong rows, or for texts to
// predict at the first one, because the predictions of the rows before it are written.
func (e *emitter) bad(place string, role int, text string) error {
	if role < Roles && e.how.Columns[role] != "" {
		place += ", column " + stream.Quote(e.how.Columns[role])
	}
	e.wrong = append(e.wrong, place+": "+text)
	if len(e.wrong) == mostWrong || e.o.Asked && !e.o.Pairs {
		return errEnough
	}
	return nil
}

// finish adds the wrong rows to the error that ended the reading, if any.
func (e *emitter) finish(err error) error {
	if errors.Is(err, errEnough) {
		err = nil
	}
	switch {
	case len(e.wrong) == 0, err != nil && e.ctx.Err() != nil:
		return err
	case len(e.wrong) == 1 && err == nil:
		return errors.New(e.file + e.wrong[0])
	}
	lines := []string{e.file + ": wrong rows:"}
	if len(e.wrong) == mostWrong {
		lines[0] = fmt.Sprintf("%s: wrong rows, the first %d:", e.file, mostWrong)
	}
	for _, w := range e.wrong {
		lines = append(lines, "  "+strings.TrimPrefix(w, ": "))
	}
	if err != nil {
		lines = append(lines, "  "+strings.TrimPrefix(err.Error(), e.file+": "))
	}
	return errors.New(strings.Join(lines, "\n"))
}
