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

// Format is what a file is read as.
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

// formatOf tells by the end of the name, or else by the beginning of the text.
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
		return "", fmt.Errorf("%s: its lines end in CR alone, as on old Macs: convert it with tr '\\r' '\\n'", file)
	}
	if o.Class != "" {
		return Plain, nil
	}
	if parquet {
		return "", fmt.Errorf("%s: %w", file, errParquet)
	}
	object := bytes.HasPrefix(bytes.TrimSpace(head), []byte("{"))
	labelled := bytes.HasPrefix(bytes.TrimSpace(head), []byte(fastTextPrefix)) && !o.Unlabelled
	in.takeSep() // head is gone
	comma, named := in.delimiter(o)
	table := CSV
	if comma == '\t' {
		table = TSV
	}
	switch extension(file) {
	case ".csv":
		return table, nil
	case ".tsv", ".tab":
		return TSV, nil
	case ".jsonl", ".ndjson", ".json":
		return JSONL, nil
	case ".parquet":
		return "", fmt.Errorf("%s: does not begin as Parquet does (PAR1): get the file again", file)
	}
	switch {
	case object:
		return JSONL, nil
	case labelled:
		return Lines, nil
	case named || in.sep != 0:
		return table, nil
	case o.Unlabelled, o.Asked:
		return Plain, nil
	}
	return Lines, nil
}

// parquetMagic is how Parquet begins.
var parquetMagic = []byte("PAR1")

// errParquet says why Parquet is not read as it comes.
var errParquet = errors.New("is Parquet, which is read from its end: write it to a file first")

// isBinary reports whether the beginning of a file is no text: it has NUL, and beside it what text
// does not have either, or as much of it as UTF-16 has. A stray NUL is told with its line.
func isBinary(head []byte) bool {
	nul := bytes.Count(head, []byte{0})
	return nul > 0 && (4*nul >= len(head) || bytes.ContainsFunc(head, func(r rune) bool {
		return r > 0 && r < ' ' && !unicode.IsSpace(r)
	}))
}

func noText(file string) error {
	return fmt.Errorf("%s: is no text, but binary: give CSV, TSV, JSONL, Parquet or plain text, and of UTF-16 what iconv -f UTF-16 -t UTF-8 makes of it", file)
}

// extension returns the end of a file's name, in small letters and below that of what
// compressed it.
func extension(file string) string {
	name := strings.ToLower(filepath.Base(file))
	for _, ext := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	return filepath.Ext(name)
}

// Named reports whether a file's name ends as those of texts do.
func Named(file string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".txt"}, extension(file))
}
