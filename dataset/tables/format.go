package tables

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
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
)

// formatOf tells by the end of the name, or else by the beginning of the text.
func formatOf(file string, in *text, o Options) (Format, error) {
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF {
		return "", in.explain(err)
	}
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF && o.Class == "" {
		return "", fmt.Errorf("%s: %w", file, errEmpty)
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "", fmt.Errorf("%s: is a tar archive: unpack it and add the folder", file)
	}
	if o.Class != "" {
		return Plain, nil
	}
	name := strings.ToLower(filepath.Base(file))
	for _, ext := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	switch filepath.Ext(name) {
	case ".csv":
		if delimiter(first) == '\t' {
			return TSV, nil
		}
		return CSV, nil
	case ".tsv", ".tab":
		return TSV, nil
	case ".jsonl", ".ndjson", ".json":
		return JSONL, nil
	case ".parquet":
		return "", fmt.Errorf("%s: does not begin as Parquet does (PAR1): get the file again", file)
	}
	if first := bytes.TrimSpace(head); len(first) > 0 && first[0] == '{' {
		return JSONL, nil
	}
	comma := delimiter(first)
	fields := strings.Split(strings.TrimRight(string(first), "\r"), string(comma))
	for i := range fields {
		fields[i] = strings.Trim(fields[i], `" `)
	}
	if _, _, err := choose(fields, o); err == nil && (usual(fields, textNames) >= 0 || o.TextColumn != "") {
		if comma == '\t' {
			return TSV, nil
		}
		return CSV, nil
	}
	if o.Unlabelled {
		return Plain, nil
	}
	return Lines, nil
}

// delimiter returns what divides the columns in the first line of a CSV: commas
// if there are any outside quotes, else semicolons or tabs.
func delimiter(first []byte) rune {
	quoted := false
	seen := map[byte]bool{}
	for _, b := range first {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			seen[b] = true
		}
	}
	switch {
	case !seen[','] && seen['\t']:
		return '\t'
	case !seen[','] && seen[';']:
		return ';'
	}
	return ','
}
