package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
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

// formatOf detects the format from the extension, or else from the beginning of the text.
func formatOf(in *text, o Options) (Format, error) {
	file := in.file
	head, err := in.head()
	if err != nil && err != io.EOF {
		return "", in.explain(err)
	}
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF && o.Class == "" {
		return "", fmt.Errorf("%s: %w", file, errEmpty)
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "", fmt.Errorf("%s: is a tar archive: unpack it and add the folder", file)
	}
	parquet := bytes.HasPrefix(head, parquetMagic)
	if !parquet && isBinary(head) {
		return "", noText(file)
	}
	if bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		return "", fmt.Errorf("%s: its lines end in CR alone: convert it with tr '\\r' '\\n'", file)
	}
	if o.Class != "" {
		return Plain, nil
	}
	if parquet {
		return "", fmt.Errorf("%s: %w", file, errParquet)
	}
	start := bytes.TrimSpace(head)
	object := bytes.HasPrefix(start, []byte("{"))
	labelled := bytes.HasPrefix(start, []byte(fastTextPrefix))
	spaced := labelled && bytes.IndexAny(start, ",;\"") != bytes.IndexAny(start, " \t,;\"") // __label__pos good, even
	tabbed := o.Asked && tabbedLabels(head, o.IsLabel)
	in.takeSep() // invalidates head
	comma, named := in.delimiter(o)
	table := CSV
	if comma == '\t' {
		table = TSV
	}
	switch ext := extension(file); {
	case spaced && ext != ".jsonl" && ext != ".parquet" && in.sep == 0:
		return Lines, nil
	case ext == ".csv":
		return table, nil
	case ext == ".tsv", ext == ".tab":
		return TSV, nil
	case ext == ".jsonl", ext == ".ndjson", ext == ".json":
		return JSONL, nil
	case ext == ".parquet":
		return "", fmt.Errorf("%s: is not Parquet (it does not begin with PAR1): get the file again", file)
	case object:
		return JSONL, nil
	case labelled:
		return Lines, nil
	case named || in.sep != 0:
		return table, nil
	case o.Unlabelled, o.Asked && !tabbed:
		return Plain, nil
	}
	return Lines, nil
}

// tabbedLabels reports whether all lines begin with a label and a tab: with known labels, or with words that
// are repeated.
func tabbedLabels(head []byte, isLabel func(string) bool) bool {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	labels, lines, known := map[string]bool{}, 0, isLabel != nil
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		label, _, tab := bytes.Cut(line, []byte("\t"))
		if !tab || bytes.IndexByte(label, ' ') >= 0 {
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

// errParquet is the error of Parquet in a stream.
var errParquet = errors.New("is Parquet, which cannot be read from a stream: write it to a file first")

// isBinary reports whether the beginning of a file is binary: it has NUL and other control
// characters, or as many NULs as UTF-16. A single NUL is reported later, with its line.
func isBinary(head []byte) bool {
	nul := bytes.Count(head, []byte{0})
	return nul > 0 && (4*nul >= len(head) || bytes.ContainsFunc(head, func(r rune) bool {
		return r > 0 && r < ' ' && !unicode.IsSpace(r)
	}))
}

func noText(file string) error {
	return fmt.Errorf("%s: is binary, not text: give CSV, TSV, JSONL, Parquet or plain text; convert UTF-16 with iconv -f UTF-16 -t UTF-8", file)
}

// extension returns a file's extension in lower case, without that of a compression.
func extension(file string) string {
	name := strings.ToLower(filepath.Base(file))
	for _, ext := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	return filepath.Ext(name)
}

// Named reports whether a file has an extension of a text format.
func Named(file string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".txt"}, extension(file))
}
