package tables

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"imdbexp/dataset/internal/stream"
)

// text is a file of text: decompressed, of limited size.
type text struct {
	*bufio.Reader
	file   string
	slow   bool // a stream: reading may block
	line   int  // number of the last line read, from 1
	max    int64
	packed io.ReadCloser
}

// headBytes is how much formatOf may peek.
const headBytes = 1 << 16

// openText opens text that may be compressed.
func openText(e *emitter, f io.Reader, size int64) (*text, error) {
	t := &text{file: e.file, slow: e.stream, max: e.o.Limits.ReviewBytes}
	in := bufio.NewReaderSize(e.meter(f, size), 512)
	head, err := in.Peek(8)
	if err != nil && err != io.EOF {
		return nil, err
	}
	for magic, what := range others {
		if bytes.HasPrefix(head, []byte(magic)) {
			return nil, fmt.Errorf("%s: is %s", t.file, what)
		}
	}
	if t.packed, err = stream.Decompress(in); err != nil {
		return nil, t.damaged(err)
	}
	out, err := withoutBOM(&unpacked{t, stream.Bounded(t.packed, e.file, e.o.Limits.TotalBytes)})
	if err != nil {
		t.packed.Close()
		return nil, fmt.Errorf("%s: %w", t.file, err)
	}
	t.Reader = bufio.NewReaderSize(out, headBytes)
	return t, nil
}

// unpacked adds file and line to errors of decompression.
type unpacked struct {
	*text
	in io.Reader
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if err != nil && err != io.EOF {
		err = u.damaged(err)
	}
	return n, err
}

func (t *text) damaged(err error) error {
	last := "its beginning"
	if t.line > 0 {
		last = fmt.Sprintf("line %d", t.line)
	}
	return stream.Damaged(t.file, last, err)
}

const webPage = "a web page, which servers also send in place of a file: get the file again"

// others are files that cannot be read, by their first bytes.
var others = map[string]string{
	"PK\x03\x04":   "a zip: unpack it first; export a workbook (.xlsx, .ods) as CSV",
	"BZh":          "compressed by bzip2: unpack it first",
	"\xfd7zXZ\x00": "compressed by xz: unpack it first",
	"7z\xbc\xaf":   "a 7z archive: unpack it first",
	"%PDF-":        "a PDF, not text: export its table as CSV",
	"<!DOCTYP":     webPage,
	"<!doctyp":     webPage,
	"<html":        webPage,
}

// head returns the beginning of the text. Of a stream it returns what is buffered, because reading may block.
func (t *text) head() ([]byte, error) {
	if !t.slow {
		return t.Peek(headBytes)
	}
	_, err := t.Peek(1)
	b, _ := t.Peek(t.Buffered())
	return b, err
}

// Check returns an error for a Header that is neither yes, no nor names.
func (o Options) Check() error {
	if !slices.Contains([]string{"", "yes", "no"}, o.Header) && !strings.Contains(o.Header, ",") {
		return fmt.Errorf("--header %s: use yes, no, or the names of all columns, such as label,title,text", o.Header)
	}
	return nil
}

// withoutBOM removes a byte order mark. That of UTF-16 is an error.
func withoutBOM(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(3) // the next read returns the error again
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, errors.New("is UTF-16 by its first bytes: convert it with iconv -f UTF-16 -t UTF-8")
	}
	if bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // buffered
	}
	return in, nil
}

// each calls f for each line without its line ending; the bytes are valid until f returns.
func (t *text) each(f func(line []byte) error) error {
	var buf []byte
	for {
		part, err := t.ReadSlice('\n')
		buf = append(buf, part...)
		switch {
		case int64(len(buf)) > t.max:
			return fmt.Errorf("%s: line %d: %w", t.file, t.line+1, stream.TooLong(t.max))
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(buf) == 0:
			return nil
		case err != nil && err != io.EOF:
			return err
		}
		t.line++
		if err := f(bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))); err != nil {
			return err
		}
		buf = buf[:0]
	}
}

// Format is the format of a file.
type Format string

// The formats.
const (
	CSV     Format = "CSV"
	TSV     Format = "TSV"
	JSONL   Format = "JSONL"
	Parquet Format = "Parquet"
	Lines   Format = "lines of label and text"
	Plain   Format = "a text a line"
	Folder  Format = "a folder a class"
	Flat    Format = "a file a text"
)

// extensions are the file extensions of the formats. A .txt file may have any text format.
var extensions = map[string]Format{
	".csv": CSV, ".tsv": TSV, ".tab": TSV, ".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL, ".parquet": Parquet, ".txt": "",
}

// formatOf returns the format that the options name. Otherwise it detects it from the extension,
// or else from the beginning of the text.
func formatOf(in *text, o Options) (Format, error) {
	head, err := in.head()
	parquet, start := bytes.HasPrefix(head, []byte("PAR1")), bytes.TrimSpace(head)
	what := ""
	switch {
	case err != nil && err != io.EOF:
		return "", err
	case len(head) > 262 && string(head[257:262]) == "ustar":
		what = "is a tar archive: unpack it and add the folder"
	case parquet && (o.Format == Parquet || o.Format == "" && o.Class == ""):
		what = "is Parquet, which cannot be read from a stream: write it to a file first"
	case parquet && isBinary(head):
		what = fmt.Sprintf("is Parquet, not %s", o.Format)
	case isBinary(head):
		what = "is binary, not text: give CSV, TSV, JSONL, Parquet or plain text; convert UTF-16 with iconv -f UTF-16 -t UTF-8"
	case bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0:
		what = "its lines end in CR alone: convert it with tr '\\r' '\\n'"
	case o.Class != "":
		return Plain, nil
	case o.Format == "" && extension(in.file) == ".parquet":
		what = "is not Parquet (it does not begin with PAR1): get the file again"
	case o.Format == "" && len(start) == 0 && err == io.EOF:
		return "", fmt.Errorf("%s: %w", in.file, errEmpty)
	}
	if what != "" {
		return "", fmt.Errorf("%s: %s", in.file, what)
	}
	if o.Format != "" {
		return o.Format, nil
	}
	labelled := bytes.HasPrefix(start, []byte(fastTextPrefix))
	spaced := labelled && bytes.IndexAny(start, ",;\"") != bytes.IndexAny(start, " \t,;\"") // such as: __label__pos good, even
	tabbed := tabbedLabels(head, o.IsLabel, false)
	comma, named := in.delimiter(o)
	table := CSV
	if comma == '\t' {
		table = TSV
	}
	switch f := extensions[extension(in.file)]; {
	case spaced && f != JSONL:
		return Lines, nil
	case f != "" && f != CSV:
		return f, nil
	case f == "" && bytes.HasPrefix(start, []byte("{")):
		return JSONL, nil
	case f == "" && labelled:
		return Lines, nil
	case f == CSV || named:
		return table, nil
	case !tabbed && !o.Unlabelled && tabbedLabels(head, o.IsLabel, true): // text, tab, label
		return TSV, nil
	case o.Unlabelled, o.Asked && !tabbed:
		return Plain, nil
	}
	return Lines, nil
}

// tabbedLabels reports whether all lines begin with a label and a tab, or end with a tab and a label if
// end is true. The labels must be known, or one must occur twice.
func tabbedLabels(head []byte, isLabel func(string) bool, end bool) bool {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	labels, lines, known := map[string]bool{}, 0, isLabel != nil
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		label, rest, tab := bytes.Cut(line, []byte("\t"))
		if end {
			label = rest
		}
		if !tab || bytes.ContainsAny(label, "\t ") {
			return false
		}
		labels[string(label)] = true
		lines++
		known = known && isLabel(string(label))
	}
	return len(labels) < lines || known && lines > 0
}

// isBinary reports whether the beginning of a file is binary: it has NUL and other control
// characters, or as many NULs as UTF-16. A single NUL is reported later, with its line.
func isBinary(head []byte) bool {
	nul := bytes.Count(head, []byte{0})
	return nul > 0 && (4*nul >= len(head) || bytes.ContainsFunc(head, func(r rune) bool {
		return r > 0 && r < ' ' && !unicode.IsSpace(r)
	}))
}

// extension returns a file's extension in lower case. It ignores the extension of a compression.
func extension(file string) string {
	name := strings.ToLower(filepath.Base(file))
	for _, ext := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	return filepath.Ext(name)
}

// Named reports whether a file has an extension of a text format.
func Named(file string) bool {
	_, known := extensions[extension(file)]
	return known
}
