package pairs

import (
	"context"
	"encoding/json"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
)

// format is the version of the files of own sentence pairs: gzipped lines of
// JSON. The first line is a header; the pairs follow, train first.
const format = 1

// header is the first line.
type header struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Pairs   [2]int   `json:"pairs"`   // in train and test
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// line is a pair.
type line struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Target string `json:"target"`
}

// Limits of sentence pairs, which are kept in memory whole: of one side, of all
// sides together, and of the number of pairs.
const (
	MaxSideBytes = 64 << 10
	MaxBytes     = 1 << 30
	MaxPairs     = 5_000_000
)

// Write writes pairs into a file.
func Write(to, name string, sources []string, train, test []Pair) error {
	header := header{format, name, [2]int{len(train), len(test)}, sources}
	return jsonl.Write(to, header, func(e *json.Encoder) error {
		for _, split := range [][]Pair{train, test} {
			for _, p := range split {
				if err := e.Encode(line(p)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	train, test := h.Pairs[dataset.Train], h.Pairs[dataset.Test]
	return h.Format, train + test, min(train, test) > 0 && max(train, test) <= MaxPairs
}

// Read reads a file of Write. Messages call it shown.
func Read(ctx context.Context, path, shown string, progress dataset.Progress) (train, test []Pair, err error) {
	var h header
	var all []Pair
	f := jsonl.File{Path: path, Shown: shown, Bytes: 2 * MaxBytes, Line: 2 * MaxSideBytes, Format: format, Progress: progress}
	err = jsonl.Read(ctx, f, &h, func(_ string, p *line) error {
		if p.ID == "" || p.Source == "" || p.Target == "" {
			return jsonl.Bad("a name or a side is missing")
		}
		all = append(all, Pair(*p))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	n := h.Pairs[dataset.Train]
	return all[:n:n], all[n:], nil
}
