package dataset

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"
)

// each calls f for the reviews of a part in the order of their names. The argument of
// f is valid until f returns; it has word IDs only if words is set.
func (p *pile) each(part Part, words bool, f func(r *splitReview) error) error {
	var heap []*cursor // the smallest name on top
	for i := range p.runs {
		c := p.cursor(&p.runs[i], part, words)
		switch err := c.next(); {
		case err == io.EOF:
		case err != nil:
			return err
		default:
			heap = append(heap, c)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for len(heap) > 0 {
		c := heap[0]
		if err := f(&c.splitReview); err != nil {
			return err
		}
		switch err := c.next(); {
		case err == io.EOF:
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		case err != nil:
			return err
		}
		sink(heap, 0)
	}
	return nil
}

func sink(heap []*cursor, i int) {
	for {
		least := i
		for _, j := range [2]int{2*i + 1, 2*i + 2} {
			if j < len(heap) && heap[j].name < heap[least].name {
				least = j
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// cursor reads one part of a run; splitReview is the current review.
type cursor struct {
	splitReview
	memory []splitReview
	keys   *bufio.Reader // nil: in memory
	wordIn *bufio.Reader // nil: no words requested
	raw    []byte
}

// cursorBytes bounds the buffers of all cursors together.
const cursorBytes = 16 << 20

func (p *pile) cursor(r *run, part Part, words bool) *cursor {
	if r.memory != nil {
		from, _ := slices.BinarySearchFunc(r.memory, part, func(x splitReview, p Part) int { return int(x.part) - int(p) })
		to, _ := slices.BinarySearchFunc(r.memory, part+1, func(x splitReview, p Part) int { return int(x.part) - int(p) })
		return &cursor{memory: r.memory[from:to]}
	}
	size := min(1<<16, max(1<<12, cursorBytes/len(p.runs)))
	open := func(file int) *bufio.Reader {
		from, to := r.start[part][file], r.start[part+1][file]
		return bufio.NewReaderSize(io.NewSectionReader(p.files[file], from, to-from), size)
	}
	c := &cursor{keys: open(0)}
	c.part = part
	if words {
		c.wordIn = open(1)
	}
	return c
}

// next reads the next review. It returns io.EOF after the last.
func (c *cursor) next() error {
	if c.keys == nil {
		if len(c.memory) == 0 {
			return io.EOF
		}
		c.splitReview, c.memory = c.memory[0], c.memory[1:]
		return nil
	}
	n, err := binary.ReadUvarint(c.keys)
	if err != nil {
		return err // io.EOF only before its first byte
	}
	c.raw = slices.Grow(c.raw[:0], int(n))[:n]
	if _, err = io.ReadFull(c.keys, c.raw); err != nil {
		return unexpected(err)
	}
	c.name = string(c.raw)
	if _, err = io.ReadFull(c.keys, c.digest[:]); err != nil {
		return unexpected(err)
	}
	label, err1 := binary.ReadVarint(c.keys)
	worker, err2 := binary.ReadUvarint(c.keys)
	words, err := binary.ReadUvarint(c.keys)
	if err1 != nil || err2 != nil || err != nil {
		return io.ErrUnexpectedEOF
	}
	c.label, c.worker, c.words = int32(label), int32(worker), int32(words)
	if c.wordIn == nil {
		return nil
	}
	c.raw = slices.Grow(c.raw[:0], 4*int(words))[:4*words]
	if _, err := io.ReadFull(c.wordIn, c.raw); err != nil {
		return unexpected(err)
	}
	c.ids = slices.Grow(c.ids[:0], int(words))[:words]
	for i := range c.ids {
		c.ids[i] = int32(binary.LittleEndian.Uint32(c.raw[4*i:]))
	}
	return nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
