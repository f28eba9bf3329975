package dataset

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"
)

// Scratch makes a temporary file that is removed when it is closed.
type Scratch func() (ScratchFile, error)

// ScratchFile is written sequentially and then read at any offset.
type ScratchFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// pile collects split reviews from all splitters. When their words take more than pileBytes, those of
// further reviews go to a file. About 100 bytes a review stay in memory.
type pile struct {
	scratch Scratch // nil: everything stays in memory

	mu      sync.Mutex
	reviews [Parts][]splitReview
	words   [Parts]int
	bytes   int // of words in memory
	file    ScratchFile
	end     int64 // of the file
}

var pileBytes = 64 << 20 // a variable for tests

func (p *pile) add(done []splitReview) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bytes := 0
	for _, r := range done {
		bytes += 4 * len(r.ids)
	}
	if p.bytes+bytes <= pileBytes {
		p.bytes += bytes
	} else if p.scratch != nil && p.spill(done) != nil {
		p.scratch = nil // the disk is full or read-only: keep the rest in memory
	}
	for _, r := range done {
		p.words[r.part] += int(r.words)
		p.reviews[r.part] = append(p.reviews[r.part], r)
	}
}

// spill moves the words of reviews to the file.
func (p *pile) spill(done []splitReview) (err error) {
	if p.file == nil {
		if p.file, err = p.scratch(); err != nil {
			p.file = nil
			return err
		}
	}
	var b []byte
	for _, r := range done {
		b, _ = binary.Append(b, binary.LittleEndian, r.ids) // numbers have a fixed size
	}
	if _, err := p.file.Write(b); err != nil {
		return err
	}
	for i := range done {
		done[i].ids, done[i].at = nil, p.end
		p.end += 4 * int64(done[i].words)
	}
	return nil
}

// sort brings the reviews into the order of their names.
func (p *pile) sort() {
	for _, reviews := range p.reviews {
		slices.SortFunc(reviews, func(a, b splitReview) int { return strings.Compare(a.name, b.name) })
	}
}

// each calls f for the reviews of a part in order. The argument of f is valid until f returns; it has
// word IDs only if words is set.
func (p *pile) each(part Part, words bool, f func(r *splitReview) error) error {
	var raw []byte
	var ids []int32
	for _, r := range p.reviews[part] {
		if n := int(r.words); words && len(r.ids) < n {
			raw, ids = slices.Grow(raw[:0], 4*n)[:4*n], slices.Grow(ids[:0], n)[:n]
			if _, err := p.file.ReadAt(raw, r.at); err != nil {
				return err
			}
			_, _ = binary.Decode(raw, binary.LittleEndian, ids) // raw has their size
			r.ids = ids
		}
		if err := f(&r); err != nil {
			return err
		}
	}
	return nil
}

func (p *pile) close() error {
	if p.file == nil {
		return nil
	}
	defer func() { p.file = nil }()
	return p.file.Close()
}
