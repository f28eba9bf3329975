package probe

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

// format is the version of the file of a probe in the data folder: gzipped lines of JSON, a header
// and one line for each pair.
const format = 1

type header struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Pairs   int      `json:"pairs"`
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// Limits of a probe, which is kept in memory whole.
const (
	maxText  = 1 << 20
	maxBytes = 1 << 30
	maxPairs = 1_000_000
)

// Write writes a probe into a file.
func (p *Probe) Write(to string, sources []string) error {
	return jsonl.Write(to, header{format, p.Name, len(p.Pairs), sources}, func(e *json.Encoder) error {
		for _, x := range p.Pairs {
			if err := e.Encode(x); err != nil {
				return err
			}
		}
		return nil
	})
}

// Open reads a probe from a file that Write wrote. shown is what messages call the file.
func Open(ctx context.Context, path, shown string, progress dataset.Progress) (*Probe, error) {
	in, err := stream.Open(ctx, path, shown, 2*maxBytes, progress)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	l := jsonl.NewReader(in, 12*maxText+4096) // JSON takes up to six bytes for one of the text
	var h header
	err = l.Decode(&h)
	switch {
	case err == nil && h.Format > format:
		return nil, jsonl.Newer(shown, h.Format, format)
	case err == nil && (h.Format < 1 || h.Pairs < 1 || h.Pairs > maxPairs):
		err = errors.New("this is no header")
	}
	p := &Probe{Name: h.Name}
	for err == nil {
		var x Pair
		if err = l.Decode(&x); err != nil {
			break
		}
		if x.ID == "" || x.Set == "" || x.Original.Label == "" || x.Rewritten.Label == "" {
			err = errors.New("a name or a label is missing")
		}
		p.Pairs = append(p.Pairs, x)
	}
	if err != io.EOF {
		return nil, jsonl.Damaged(shown, l.Line, err)
	}
	if len(p.Pairs) != h.Pairs {
		return nil, fmt.Errorf("%s: has %d pairs instead of %d: the file is not whole, add the data again", shown, len(p.Pairs), h.Pairs)
	}
	return p, nil
}
