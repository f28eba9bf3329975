package dataset

import (
	"cmp"
	"context"
	"errors"
)

// Review is one text as it was read.
type Review struct {
	ID    string // such as train/pos/0_9, unique in its corpus
	Text  string // valid UTF-8
	Label int    // index into the corpus's classes, Unlabelled if there is none

	// Rationale are the parts of the text that annotators marked as reasons for its label, in order
	// and not overlapping; nil without annotation. No model sees it.
	Rationale []Span
}

// Span is a part of a text, [Start, End) in bytes.
type Span struct{ Start, End int }

// Unlabelled is the label of a review that has none.
const Unlabelled = -1

// Part says which split of a corpus a review belongs to.
type Part uint8

// The splits of a corpus.
const (
	Train Part = iota
	Test
	Extra // unlabelled reviews, only ever used to train word vectors
	Parts
)

// String returns the name of the split's folder.
func (p Part) String() string {
	return [...]string{"train", "test", "unlabelled"}[p]
}

// Source yields the reviews of a corpus.
type Source interface {
	// String names the source in messages.
	String() string
	// Classes names the labels 0, 1, …
	Classes() []string
	// Reviews calls yield for each review, in any order, until yield or the
	// context ends it. Its errors name the file and the entry or line.
	Reviews(ctx context.Context, yield func(Part, Review) error) error
}

// Limits bounds what a reader accepts, so that a damaged or hostile file ends
// in an error and not in exhausted memory. Zero fields mean DefaultLimits.
type Limits struct {
	ReviewBytes int64 // of one review
	TotalBytes  int64 // of everything, decompressed
	Reviews     int   // number of reviews
}

// DefaultLimits are far above IMDB (14 kB, 0.3 GB, 100 000).
var DefaultLimits = Limits{ReviewBytes: 64 << 20, TotalBytes: 8 << 30, Reviews: 10_000_000}

// OrDefault fills in the fields that are zero.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits
	return Limits{cmp.Or(l.ReviewBytes, d.ReviewBytes), cmp.Or(l.TotalBytes, d.TotalBytes), cmp.Or(l.Reviews, d.Reviews)}
}

// Progress hears how many bytes of the whole file have been read. Calls come
// from one goroutine at a time, at most once per read.
type Progress func(done, total int64)

// Spend subtracts one review of n bytes from the limits.
func (l *Limits) Spend(n int64) error {
	l.TotalBytes -= n
	l.Reviews--
	if l.TotalBytes < 0 || l.Reviews < 0 {
		return errors.New("more reviews or more text than can be read")
	}
	return nil
}
