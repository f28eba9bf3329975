package dataset

import (
	"bufio"
	"cmp"
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

// pile collects split reviews from all splitters for an external merge sort. When they take
// more than pileBytes, it sorts them and writes them as a run. Names, digests and labels go
// to one file, which is small enough to be read several times; words go to another.
type pile struct {
	scratch Scratch

	mu      sync.Mutex
	done    []splitReview
	bytes   int // about what done takes
	reviews [Parts]int
	words   [Parts]int
	runs    []run
	files   [2]ScratchFile // keys and words; nil while memory suffices
	written [2]int64
}

var pileBytes = 64 << 20 // a variable for tests

const reviewBytes = 128 // of a splitReview and its name

// run is reviews in their order, in memory or in the files: those of part p begin at
// start[p] of each file.
type run struct {
	memory []splitReview
	start  [Parts + 1][2]int64
}

// inOrder compares reviews as a corpus has them.
func inOrder(a, b *splitReview) int {
	return cmp.Or(cmp.Compare(a.part, b.part), strings.Compare(a.name, b.name))
}

func (p *pile) add(done []splitReview) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = append(p.done, done...)
	for i := range done {
		r := &done[i]
		p.reviews[r.part]++
		p.words[r.part] += int(r.words)
		p.bytes += reviewBytes + 4*int(r.words)
	}
	if p.bytes < pileBytes || p.scratch == nil {
		return
	}
	full := p.done
	if p.open() != nil || p.spill() != nil {
		p.done, p.scratch = full, nil // the disk is full or read-only: keep the rest in memory
	}
}

func (p *pile) open() (err error) {
	if p.files[0] != nil {
		return nil
	}
	for i := range p.files {
		if p.files[i], err = p.scratch(); err != nil {
			p.files[i] = nil
			_ = p.close()
			return err
		}
	}
	return nil
}

// sorted returns the collected reviews in order and empties the pile.
func (p *pile) sorted() []splitReview {
	done := p.done
	slices.SortFunc(done, func(a, b splitReview) int { return inOrder(&a, &b) })
	p.done, p.bytes = nil, 0
	return done
}

// spill writes the collected reviews as a run.
func (p *pile) spill() error {
	var out [2]*bufio.Writer
	for i, f := range p.files {
		out[i] = bufio.NewWriterSize(f, 1<<16)
	}
	var r run
	var key, words []byte
	done, part := p.sorted(), Part(0)
	r.start[0] = p.written
	for i := range done {
		x := &done[i]
		for ; part < x.part; part++ {
			r.start[part+1] = p.written
		}
		key = append(appendString(key[:0], x.name), x.digest[:]...)
		key = binary.AppendVarint(key, int64(x.label))
		key = binary.AppendUvarint(key, uint64(x.worker))
		key = binary.AppendUvarint(key, uint64(x.words))
		words = words[:0]
		for _, id := range x.ids {
			words = binary.LittleEndian.AppendUint32(words, uint32(id))
		}
		for f, b := range [2][]byte{key, words} {
			if _, err := out[f].Write(b); err != nil {
				return err
			}
			p.written[f] += int64(len(b))
		}
	}
	for ; part < Parts; part++ {
		r.start[part+1] = p.written
	}
	for _, w := range out {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	p.runs = append(p.runs, r)
	clear(done) // the words may go
	p.done = done[:0]
	return nil
}

// finish makes the remaining reviews the last run, which stays in memory.
func (p *pile) finish() {
	if len(p.done) > 0 {
		p.runs = append(p.runs, run{memory: p.sorted()})
	}
}

func (p *pile) close() (err error) {
	for i, f := range p.files {
		if f != nil {
			err = cmp.Or(err, f.Close())
			p.files[i] = nil
		}
	}
	return err
}
