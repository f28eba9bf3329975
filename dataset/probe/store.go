package probe

import (
	"context"
	"encoding/json"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
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

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	return h.Format, h.Pairs, h.Pairs > 0 && h.Pairs <= maxPairs
}

// Open reads a probe from a file that Write wrote. shown is what messages call the file.
func Open(ctx context.Context, path, shown string, progress dataset.Progress) (*Probe, error) {
	var h header
	p := new(Probe)
	f := jsonl.File{Path: path, Shown: shown, Bytes: 2 * maxBytes, Line: 2 * maxText, Format: format, Progress: progress}
	err := jsonl.Read(ctx, f, &h, func(_ string, x *Pair) error {
		if x.ID == "" || x.Set == "" || x.Original.Label == "" || x.Rewritten.Label == "" {
			return jsonl.Bad("a name or a label is missing")
		}
		p.Pairs = append(p.Pairs, *x)
		return nil
	})
	p.Name = h.Name
	return p, err
}
