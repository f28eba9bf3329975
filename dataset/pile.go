package dataset

import (
	"crypto/sha256"
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

// pile collects split reviews from all splitters. When their data take more than pileBytes, those of
// further reviews go to a file. About 70 bytes a review stay in memory.
type pile struct {
	scratch Scratch // nil: everything stays in memory

	mu      sync.Mutex
	reviews [Parts][]splitReview
	words   [Parts]int
	bytes   int // of data in memory
	file    ScratchFile
	end     int64 // of the file
}

var pileBytes = 64 << 20 // a variable for tests

// add takes reviews; at says where in data those of each begin.
func (p *pile) add(done []splitReview, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spilled := p.bytes+len(data) > pileBytes && p.scratch != nil
	if spilled && p.spill(data) != nil {
		p.scratch, spilled = nil, false // the disk is full or read-only: keep the rest in memory
	}
	from := p.end
	if spilled {
		p.end += int64(len(data))
	} else {
		data = slices.Clone(data)
		p.bytes += len(data)
	}
	for _, r := range done {
		if spilled {
			r.at += from
		} else {
			r.data = data[r.at : r.at+r.size()]
		}
		p.words[r.part] += int(r.words)
		p.reviews[r.part] = append(p.reviews[r.part], r)
	}
}

// size returns the size of a review's data.
func (r *splitReview) size() int64 { return sha256.Size + 4*int64(r.words) }

// spill appends data to the file.
func (p *pile) spill(data []byte) (err error) {
	if p.file == nil {
		if p.file, err = p.scratch(); err != nil {
			p.file = nil
			return err
		}
	}
	_, err = p.file.Write(data)
	return err
}

// sort sorts the reviews by name.
func (p *pile) sort() {
	for _, reviews := range p.reviews {
		slices.SortFunc(reviews, func(a, b splitReview) int { return strings.Compare(a.name, b.name) })
	}
}

// each calls f for the reviews of a part in order. Their data are valid until f returns.
func (p *pile) each(part Part, f func(r *splitReview) error) error {
	var buf []byte
	for _, r := range p.reviews[part] {
		if r.data == nil {
			buf = slices.Grow(buf[:0], int(r.size()))[:r.size()]
			if _, err := p.file.ReadAt(buf, r.at); err != nil {
				return err
			}
			r.data = buf
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
