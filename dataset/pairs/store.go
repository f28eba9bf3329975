package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/dataset/internal/stream"
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

// Read reads a file of Write. Messages call it shown.
func Read(ctx context.Context, path, shown string, progress dataset.Progress) (train, test []Pair, err error) {
	in, err := stream.Open(ctx, path, shown, 2*MaxBytes, progress)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	// JSON takes up to six bytes for one of the text.
	l := jsonl.NewReader(in, 12*MaxSideBytes+4096)
	damaged := func(err error) error { return jsonl.Damaged(shown, l.Line, err) }
	var h header
	if err := l.Decode(&h); err != nil {
		return nil, nil, damaged(err)
	}
	switch {
	case h.Format > format:
		return nil, nil, jsonl.Newer(shown, h.Format, format)
	case h.Format < 1 || min(h.Pairs[dataset.Train], h.Pairs[dataset.Test]) < 1 || max(h.Pairs[dataset.Train], h.Pairs[dataset.Test]) > MaxPairs:
		return nil, nil, damaged(errors.New("the header is invalid"))
	}
	var all []Pair
	for {
		var p line
		err := l.Decode(&p)
		if err == io.EOF {
			break
		}
		if err == nil && (p.ID == "" || p.Source == "" || p.Target == "") {
			err = errors.New("a name or a side is missing")
		}
		if err != nil {
			return nil, nil, damaged(err)
		}
		where := fmt.Sprintf("%s: line %d", shown, l.Line)
		if err := errors.Join(stream.CheckText(where, p.Source), stream.CheckText(where, p.Target)); err != nil {
			return nil, nil, err
		}
		all = append(all, Pair(p))
	}
	if want := h.Pairs[dataset.Train] + h.Pairs[dataset.Test]; len(all) != want {
		return nil, nil, fmt.Errorf("%s: has %d pairs instead of %d: the file is not whole, add the data again", shown, len(all), want)
	}
	return all[:h.Pairs[dataset.Train]:h.Pairs[dataset.Train]], all[h.Pairs[dataset.Train]:], nil
}
