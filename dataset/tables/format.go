package tables

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"
)

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

// extensions are the extensions of text formats. A .txt may have any of them.
var extensions = map[string]Format{
	".csv": CSV, ".tsv": TSV, ".tab": TSV, ".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL, ".parquet": Parquet, ".txt": "",
}

// formatOf returns the format that the options name. Otherwise it detects it from the extension,
// or else from the beginning of the text.
func formatOf(in *text, o Options) (Format, error) {
	head, err := in.head()
	parquet, start := bytes.HasPrefix(head, parquetMagic), bytes.TrimSpace(head)
	what := ""
	switch {
	case err != nil && err != io.EOF:
		return "", in.explain(err)
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
	object := bytes.HasPrefix(start, []byte("{"))
	labelled := bytes.HasPrefix(start, []byte(fastTextPrefix))
	spaced := labelled && bytes.IndexAny(start, ",;\"") != bytes.IndexAny(start, " \t,;\"") // __label__pos good, even
	tabbed := tabbedLabels(head, o.IsLabel, false)
	after := !tabbed && !o.Unlabelled && tabbedLabels(head, o.IsLabel, true)
	if o.Format != "" {
		return o.Format, nil
	}
	comma, named := in.delimiter(o)
	table := CSV
	if comma == '\t' {
		table = TSV
	}
	switch f := extensions[extension(in.file)]; {
	case spaced && f != JSONL:
		return Lines, nil
	case f == CSV:
		return table, nil
	case f != "":
		return f, nil
	case object:
		return JSONL, nil
	case labelled:
		return Lines, nil
	case named:
		return table, nil
	case after: // text, tab, label
		return TSV, nil
	case o.Unlabelled, o.Asked && !tabbed:
		return Plain, nil
	}
	return Lines, nil
}

// tabbedLabels reports whether all lines begin with a label and a tab, or end with a tab and a label:
// with known labels, or with words that are repeated.
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
		if !tab || bytes.IndexByte(label, '\t') >= 0 {
			return false
		}
		if bytes.IndexByte(label, ' ') >= 0 {
			return false
		}
		labels[string(label)] = true
		lines++
		known = known && isLabel(string(label))
	}
	return len(labels) < lines || known && lines > 0
}

// parquetMagic is the beginning of a Parquet file.
var parquetMagic = []byte("PAR1")

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
