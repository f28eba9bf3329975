package own

import (
	"context"
	"encoding/json"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/dataset/tables"
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

	Rationale [][2]int `json:"rationale,omitempty"` // [from, to) in bytes of the text, in order, not overlapping
}

// store reads the inputs again and writes the data set into a file.
func (g *gatherer) store(ctx context.Context, inputs []input, to, name string) error {
	return jsonl.Write(to, g.header(name), func(e *json.Encoder) error {
		var number [dataset.Parts]int
		rest := g.reviews
		for _, in := range inputs {
			_, err := g.each(ctx, in, func(r tables.Record) error {
				if len(rest) == 0 || rest[0].key != textKey(r.Text) && rest[0].key != rest[0].words {
					return fmt.Errorf("%s: the file has changed while it was read: add it again", r.Where)
				}
				x := rest[0]
				rest = rest[1:]
				// test/00000007 with nothing but files to train on was the seventh there.
				number[x.came]++
				line := line{Split: x.part.String(), ID: fmt.Sprintf("%s/%08d", x.part, number[x.came]), Text: r.Text, Rationale: r.Rationale}
				if x.label >= 0 {
					line.Label = g.labels[x.label]
				}
				return e.Encode(line)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (g *gatherer) header(name string) header {
	h := header{Format: 1 + min(1, g.marked), Name: name, Classes: g.classes(), Sources: sources(g.read)}
	for _, r := range g.reviews {
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
