package own

import (
	"context"
	"encoding/json"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/internal/fsx"
)

// The format of your own data in the data folder: lines of JSON, compressed
// by gzip. The first line is a header, each other one a line. Format 2 has rationales;
// without any the format is 1, as it was before.
const format = 2

// header is the first line.
type header struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Classes []string `json:"classes"`
	Reviews [3]int   `json:"reviews"` // in train, test and unlabelled
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// line is a review.
type line struct {
	Split string `json:"split"`
	Label string `json:"label,omitempty"`
	ID    string `json:"id"`
	Text  string `json:"text"`

	Rationale [][2]int `json:"rationale,omitempty"` // [from, to) in bytes of the text, rising and apart
}

// store writes the data set into a file.
func (g *gatherer) store(ctx context.Context, spool, to, name string) error {
	in, err := fsx.Open(spool)
	if err != nil {
		return err
	}
	defer in.Close()
	return jsonl.Write(to, g.header(name), func(e *json.Encoder) error {
		var number [dataset.Parts]int
		return g.texts(ctx, in, func(r *gathered, text []byte, rationale [][2]int) error {
			// test/00000007 with nothing but files to train on was the seventh there.
			number[r.came]++
			line := line{Split: r.part.String(), ID: fmt.Sprintf("%s/%08d", r.part, number[r.came]), Text: string(text), Rationale: rationale}
			if r.label >= 0 {
				line.Label = g.labels[r.label]
			}
			return e.Encode(line)
		})
	})
}

func (g *gatherer) header(name string) header {
	h := header{Format: 1 + min(1, g.marked), Name: name, Classes: g.classes(), Sources: sources(g.read)}
	for _, r := range g.reviews.all {
		h.Reviews[r.part]++
	}
	return h
}

// sources names the files and how they were read.
func sources(read []FileRead) (names []string) {
	for _, f := range read {
		names = append(names, f.File+" ("+f.How.String()+")")
	}
	return names
}
