package own

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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
				// A held-out review keeps its number in the training file.
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

// source reads what WriteReviews has written.
type source struct {
	file   jsonl.File
	header header
}

// Open reads the header.
func Open(path, shown string, progress dataset.Progress) (dataset.Source, error) {
	s := source{file: jsonl.File{Path: path, Shown: shown, Format: format, Progress: progress}}
	if err := jsonl.Read[line](context.Background(), s.file, &s.header, nil); err != nil {
		return nil, err
	}
	return s, nil
}

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	ok = len(h.Classes) >= minClasses && len(h.Classes) <= maxClasses && !slices.Contains(h.Classes, "")
	return h.Format, h.Reviews[0] + h.Reviews[1] + h.Reviews[2], ok
}

// String and Classes implement Source.
func (s source) String() string    { return s.file.Shown }
func (s source) Classes() []string { return s.header.Classes }

// HasRationales reports whether any review has one.
func (s source) HasRationales() bool { return s.header.Format > 1 }

// Reviews implements Source.
func (s source) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	class := map[string]int{"": dataset.Unlabelled}
	for i, c := range s.header.Classes {
		class[c] = i
	}
	return jsonl.Read(ctx, s.file, new(header), func(_ string, r *line) error {
		label, known := class[r.Label]
		part := dataset.Part(slices.Index([]string{dataset.Train.String(), dataset.Test.String(), dataset.Extra.String()}, r.Split))
		if !known || part >= dataset.Parts || (label == dataset.Unlabelled) != (part == dataset.Extra) || r.ID == "" {
			return jsonl.Bad("split, label or name of the review do not fit")
		}
		var rationale []dataset.Span
		for _, s := range r.Rationale {
			if s[0] < 0 || s[1] <= s[0] || s[1] > len(r.Text) {
				return jsonl.Bad("the rationale is not a part of the text")
			}
			rationale = append(rationale, dataset.Span{Start: s[0], End: s[1]})
		}
		return yield(part, dataset.Review{ID: r.ID, Text: r.Text, Label: label, Rationale: rationale})
	})
}
