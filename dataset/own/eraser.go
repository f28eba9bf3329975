package own

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

// The form of the ERASER benchmark (DeYoung et al. 2020; its rationale_benchmark/utils.py):
// a folder with the file of each document in docs, one sentence a line, words separated by
// blanks; and train.jsonl, val.jsonl and test.jsonl with an annotation a line. An
// annotation's label is its classification; its evidences are spans of the document's
// words, counted through all lines from 0.

// eraserAnnotation holds the fields read from an annotation.
type eraserAnnotation struct {
	ID        string             `json:"annotation_id"`
	Label     string             `json:"classification"`
	Evidences [][]eraserEvidence `json:"evidences"`
}

type eraserEvidence struct {
	Document string `json:"docid"`
	Start    int    `json:"start_token"`
	End      int    `json:"end_token"` // exclusive
}

const eraserFormat tables.Format = "ERASER's annotations"

// eraserParts returns the files of an ERASER folder, or nil for any other folder. Its
// validation files join train, because each run holds out its own validation set.
func eraserParts(folder string) (parts []input) {
	if info, err := os.Stat(filepath.Join(folder, "docs")); err != nil || !info.IsDir() {
		return nil
	}
	for _, f := range []struct {
		name string
		part dataset.Part
	}{{"train.jsonl", dataset.Train}, {"val.jsonl", dataset.Train}, {"test.jsonl", dataset.Test}} {
		file := filepath.Join(folder, f.name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			parts = append(parts, input{file: file, part: f.part, eraser: filepath.Join(folder, "docs")})
		} else if f.name != "val.jsonl" {
			return nil
		}
	}
	return parts
}

// readEraser reads the annotations of a file with the documents in docs, and no files outside
// that folder.
func readEraser(ctx context.Context, docs, file string, o tables.Options, yield func(tables.Record) error) (tables.How, error) {
	how := tables.How{Format: eraserFormat, Columns: [tables.Roles]string{tables.Text: "docs", tables.Label: "classification", tables.Rationale: "evidences"}}
	in, err := os.Open(file)
	if err != nil {
		return how, err
	}
	defer in.Close()
	root, err := os.OpenRoot(docs)
	if err != nil {
		return how, err
	}
	defer root.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	number := 0
	for lines.Scan() {
		number++
		if err := ctx.Err(); err != nil {
			return how, err
		}
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		where := fmt.Sprintf("%s: line %d", file, number)
		r, err := eraserRecord(root, lines.Bytes(), o.Limits.ReviewBytes)
		if err != nil {
			return how, fmt.Errorf("%s: %w", where, err)
		}
		r.Where = where
		if err := yield(r); err != nil {
			return how, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return how, fmt.Errorf("%s: line %d: longer than 16 MiB", file, number+1)
	}
	return how, lines.Err()
}

func eraserRecord(root *os.Root, line []byte, limit int64) (r tables.Record, err error) {
	var a eraserAnnotation
	if err := json.Unmarshal(line, &a); err != nil {
		return r, fmt.Errorf("is not an annotation (%w)", err)
	}
	document := a.ID
	if e := slices.Concat(a.Evidences...); len(e) > 0 && e[0].Document != "" {
		document = e[0].Document
	}
	if r.Label = strings.TrimSpace(a.Label); r.Label == "" || document == "" {
		return r, errors.New("is not an annotation of a document: annotation_id and classification are needed")
	}
	if r.Text, err = eraserDocument(root, document, limit); err != nil {
		return r, err
	}
	words := eraserWords(r.Text)
	for _, e := range slices.Concat(a.Evidences...) {
		switch {
		case e.Document != "" && e.Document != document:
			return r, fmt.Errorf("evidence of the documents %q and %q: reviews have one", document, e.Document)
		case e.Start < 0 || e.End <= e.Start || e.End > len(words):
			return r, fmt.Errorf("evidence of the words %d to %d, and %s has %d", e.Start, e.End, document, len(words))
		}
		r.Rationale = append(r.Rationale, [2]int{words[e.Start][0], words[e.End-1][1]})
	}
	r.Rationale = tables.JoinSpans(r.Rationale)
	return r, nil
}

func eraserDocument(root *os.Root, name string, limit int64) (string, error) {
	text, err := root.ReadFile(name)
	switch {
	case err != nil:
		return "", err
	case int64(len(text)) > limit:
		return "", fmt.Errorf("docs/%s: longer than %d bytes, the limit for one text", name, limit)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return "", fmt.Errorf("docs/%s: is not UTF-8", name)
	}
	return string(text), nil
}

// eraserWords returns the spans of the words of a document: separated by blanks, in lines
// without the white space at their ends.
func eraserWords(text string) (words [][2]int) {
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		from := at + strings.Index(line, trimmed)
		at += len(line)
		for word := range strings.SplitSeq(trimmed, " ") {
			if word != "" {
				words = append(words, [2]int{from, from + len(word)})
			}
			from += len(word) + 1
		}
	}
	return slices.Clip(words)
}
