package ops

// derived is a token axis whose offsets follow from another axis. It has
// the same reviews, so per-review rows fit both.
type derived struct {
	seq *Seq
	pad bool // every review is as long as the longest one
	buf []int
}

func (s *Seq) derive(front int, pad bool) *derived {
	d := &derived{seq: &Seq{reviews: s.reviews, even: s.even || pad, from: s, front: front}, pad: pad}
	d.follow(s)
	return d
}

// follow sets the axis to the current batch of its parent.
func (d *derived) follow(parent *Seq) {
	longest := parent.longest()
	d.seq.grain, d.seq.start = parent.grain, parent.start
	d.buf = append(d.buf[:0], 0)
	for b := range parent.reviews.Len() {
		n := parent.length(b)
		if d.pad {
			n = longest
		}
		d.buf = append(d.buf, d.buf[b]+d.seq.front+n)
	}
	d.seq.set(d.buf)
}

// Fronted returns the axis with an additional row in front of each review, for a
// token such as [CLS]. Every call returns the same axis.
func (s *Seq) Fronted() *Seq {
	if s.fronted == nil {
		s.fronted = s.derive(1, false)
	}
	return s.fronted.seq
}

// Padded returns the axis on which every review is as long as the longest one of
// the batch: this axis itself if it is already padded. Every call returns the same
// axis.
func (s *Seq) Padded() *Seq {
	if s.even {
		return s
	}
	if s.padded == nil {
		s.padded = s.derive(0, true)
	}
	return s.padded.seq
}
