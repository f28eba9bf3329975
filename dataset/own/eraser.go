package own

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/tables"
)

// The form of the ERASER benchmark (DeYoung et al. 2020; its rationale_benchmark/utils.py):
// a folder with the file of each document in docs, one sentence a line, words separated by
// blanks; and train.jsonl, val.jsonl and test.jsonl with an annotation a line. An
// annotation's label is its classification; its evidences are spans of the document's
// words, counted through all lines from 0.

// eraserAnnotation holds the fields read from an annotation.
type eraserAnnotation struct {
	ID        string `json:"annotation_id"`
	Label     string `json:"classification"`
	Evidences [][]struct {
		Document string `json:"docid"`
		Start    int    `json:"start_token"`
		End      int    `json:"end_token"` // exclusive
	} `json:"evidences"`
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
func readEraser(ctx context.Context, docs, file string, yield func(tables.Record) error) (tables.How, error) {
	how := tables.How{Format: eraserFormat, Columns: [tables.Roles]string{tables.Text: "docs", tables.Label: "classification", tables.Rationale: "evidences"}}
	lines, err := os.ReadFile(file)
	if err != nil {
		return how, err
	}
	root, err := os.OpenRoot(docs)
	if err != nil {
		return how, err
	}
	defer root.Close()
	number := 0
	for line := range bytes.Lines(lines) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := eraserRecord(root, line)
		r.Where = fmt.Sprintf("%s: line %d", file, number)
		if err != nil {
			return how, fmt.Errorf("%s: %w", r.Where, err)
		}
		if err := errors.Join(ctx.Err(), yield(r)); err != nil {
			return how, err
		}
	}
	return how, nil
}

// eraserWord is a word of a document.
var eraserWord = regexp.MustCompile(`[^ \r\n]+`)

func eraserRecord(root *os.Root, line []byte) (r tables.Record, err error) {
	var a eraserAnnotation
	if err := json.Unmarshal(line, &a); err != nil {
		return r, fmt.Errorf("is not an annotation (%w)", err)
	}
	document, evidence := a.ID, slices.Concat(a.Evidences...)
	if len(evidence) > 0 && evidence[0].Document != "" {
		document = evidence[0].Document
	}
	if r.Label = strings.TrimSpace(a.Label); r.Label == "" || document == "" {
		return r, errors.New("is not an annotation of a document: annotation_id and classification are needed")
	}
	text, err := root.ReadFile(document)
	if err == nil {
		err = stream.CheckText("docs/"+document, string(text))
	}
	if err != nil {
		return r, err
	}
	r.Text = string(text)
	words := eraserWord.FindAllStringIndex(r.Text, -1)
	for _, e := range evidence {
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
