package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"

	"imdbexp/internal/fsx"
)

// The form in which own data lie in the data folder: lines of JSON, compressed
// by gzip. The first line is an ownHeader, each other one an ownLine.
const (
	ownSuffix = ".reviews.jsonl.gz"
	ownFormat = 1
)

func ownFile(name string) string { return name + ownSuffix }

// ownHeader is the first line.
type ownHeader struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Classes []string `json:"classes"`
	Reviews [3]int   `json:"reviews"` // in train, test and unlabelled
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// ownLine is a review.
type ownLine struct {
	Split string `json:"split"`
	Label string `json:"label,omitempty"`
	ID    string `json:"id"`
	Text  string `json:"text"`
}

// store writes the data set into a file.
func (g *gatherer) store(ctx context.Context, spool, to, name string) error {
	in, err := os.Open(spool)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeLines(to, g.header(name), func(e *json.Encoder) error {
		var number [parts]int
		return g.texts(ctx, in, func(i int, text []byte) error {
			r := g.reviews[i]
			// test/00000007 with nothing but files to train on was the seventh there.
			number[r.came]++
			line := ownLine{Split: r.part.String(), ID: fmt.Sprintf("%s/%08d", r.part, number[r.came]), Text: string(text)}
			if r.label >= 0 {
				line.Label = g.labels[r.label]
			}
			return e.Encode(line)
		})
	})
}

// writeLines writes a file of own data: lines of JSON, compressed by gzip, the header
// and those that write encodes.
func writeLines(to string, header any, write func(*json.Encoder) error) error {
	return fsx.WriteFile(to, func(out io.Writer) error {
		z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
		if err != nil {
			return err
		}
		e := json.NewEncoder(z)
		e.SetEscapeHTML(false)
		if err := e.Encode(header); err != nil {
			return err
		}
		if err := write(e); err != nil {
			return err
		}
		return z.Close()
	})
}

func (g *gatherer) header(name string) ownHeader {
	h := ownHeader{Format: ownFormat, Name: name, Classes: g.classes(), Sources: sources(g.read)}
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
