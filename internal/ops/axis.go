package ops

// Axis is the meaning of the rows of a node: words, reviews, or a fixed number
// of rows (weights). Its length changes from batch to batch. Its shards depend
// on the data alone, never on the number of workers.
type Axis interface {
	Len() int
	cuts() []int // shard s owns rows cuts[s] … cuts[s+1]
}

// fixed is the axis of weights and scalars.
type fixed struct{ bounds [2]int }

func newFixed(n int) *fixed   { return &fixed{[2]int{0, n}} }
func (f *fixed) Len() int     { return f.bounds[1] }
func (f *fixed) cuts() []int  { return f.bounds[:] }
func (f *fixed) resize(n int) { f.bounds[1] = n }

// A batch is cut into a few shards as soon as each keeps a core busy for
// longer than its scheduling takes, and into more once they are large enough
// for matrix products to run at full speed. No machine gains from more than
// maxShards.
const largeShard, maxShards = 2048, 16

// grain is how finely an axis is cut: into up to few shards of at least minWords words.
type grain struct{ minWords, few int }

// A batch of pairs has as many words as two or three reviews, and its layers are
// wider; an even number of shards suits two cores. Compared with one shard, four shards
// cost nothing measurable, eight of 32 words a fifth.
var (
	ofReviews   = grain{256, 3}
	ofSentences = grain{64, 4}
)

// shards returns the number of shards for a batch.
func (g grain) shards(words, reviews int) int {
	n := max(min(words/g.minWords, g.few), words/largeShard, 1)
	return min(n, maxShards, max(reviews, 1))
}

// Seq is a token axis: review b owns the rows Offsets[b] … Offsets[b+1].
type Seq struct {
	Offsets []int
	// shard s owns the reviews owner[s] … owner[s+1] and the rows rows[s] … rows[s+1]
	owner, rows []int
	reviews     *fixed
	grain       grain
	longest     int  // number of words of the longest review
	start       int  // position of each review's first row
	even        bool // all reviews have the same number of rows
	from        *Seq // the axis it is derived from, or nil
	front       int  // additional rows in front of each review, compared with from
	fronted     *derived
	padded      *derived
}

// Len returns N, the number of words in the batch.
func (s *Seq) Len() int { return s.Offsets[len(s.Offsets)-1] }

func (s *Seq) cuts() []int { return s.rows }

// Reviews returns the axis of the reviews: one row each.
func (s *Seq) Reviews() Axis { return s.reviews }

// onWords is the common part of kernels that process the words of each review.
type onWords struct {
	g   *Graph
	seq *Seq
}

// words returns the graph and the axis of x. If that is no axis of words, the graph fails.
func (x *Node) words(op string) onWords {
	if s, ok := x.axis.(*Seq); ok {
		return onWords{x.g, s}
	}
	x.g.fail("%s: needs one row a word", op)
	return onWords{x.g, newSeq()}
}

// each runs f for every review with the rows lo … hi that it owns, the shards of the axis in parallel.
func (k onWords) each(f func(shard, review, lo, hi int)) error { return k.g.pool.reviews(k.seq, f) }

func newSeq() *Seq {
	return &Seq{Offsets: []int{0}, reviews: newFixed(0), grain: ofReviews}
}

// set takes the offsets of a new batch and cuts the reviews into shards of about
// equal numbers of words. The axes derived from this one follow.
func (s *Seq) set(offsets []int) {
	s.Offsets = offsets
	reviews := len(offsets) - 1
	s.reviews.resize(reviews)
	shards := s.grain.shards(s.Len(), reviews)
	s.owner, s.rows = append(s.owner[:0], 0), append(s.rows[:0], 0)
	s.longest = 0
	for b := range reviews {
		s.longest = max(s.longest, s.length(b))
		// The shard ends where the number of words so far passes its share.
		if k := len(s.owner); offsets[b+1]*shards >= k*s.Len() || b == reviews-1 {
			s.owner = append(s.owner, b+1)
			s.rows = append(s.rows, offsets[b+1])
		}
	}
	for _, d := range []*derived{s.fronted, s.padded} {
		if d != nil {
			d.seq.grain, d.seq.start = s.grain, s.start
			d.follow()
		}
	}
}

// shards returns the number of shards.
func (s *Seq) shards() int { return len(s.owner) - 1 }

// each calls f for every review of shard k with the rows lo … hi that it owns.
func (s *Seq) each(k int, f func(review, lo, hi int)) {
	for b := s.owner[k]; b < s.owner[k+1]; b++ {
		f(b, s.Offsets[b], s.Offsets[b+1])
	}
}

// length returns the number of words of a review.
func (s *Seq) length(review int) int { return s.Offsets[review+1] - s.Offsets[review] }

// own returns how many rows of a review are not padding; they come first.
func (s *Seq) own(review int) int {
	if s.from == nil {
		return s.length(review)
	}
	return s.front + s.from.own(review)
}

// derived is a token axis whose rows follow from those of other axes with the same reviews, so
// per-review rows fit all.
type derived struct {
	seq  *Seq
	rows func(review int) int
	buf  []int
}

// follow sets the axis to the current batch of the others.
func (d *derived) follow() {
	d.buf = append(d.buf[:0], 0)
	for b := range d.seq.reviews.Len() {
		d.buf = append(d.buf, d.buf[b]+d.rows(b))
	}
	d.seq.set(d.buf)
}

// derive returns the axis with additional rows in front of each review and, if pad is set, as many
// in each as in the longest one.
func (s *Seq) derive(front int, pad bool) *derived {
	seq := &Seq{reviews: s.reviews, even: s.even || pad, from: s, front: front}
	d := &derived{seq: seq, rows: func(b int) int {
		if pad {
			return front + s.longest
		}
		return front + s.length(b)
	}}
	seq.grain, seq.start = s.grain, s.start
	d.follow()
	return d
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
