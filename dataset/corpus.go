package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/internal/dice"
	"imdbexp/dataset/token"
	"imdbexp/internal/ragged"
)

// Head is a data set without its reviews.
type Head struct {
	Name      string
	Tokenizer string   // name of the tokeniser
	Digest    string   // SHA-256 of the content, see digest
	Classes   []string // names of the labels 0, 1, …
	Vocab     *Vocab

	Key string // names its cache files: digest, tokeniser, format and excluded texts
}

// Corpus is a data set split into words, as IDs of its vocabulary.
type Corpus struct {
	Head
	Train, Test Split
	Extra       Split // unlabelled reviews; empty unless open.Options asks for them
}

// Split is a part of a corpus: words as IDs of its vocabulary, reviews in the order of their names.
// A review may have no word.
type Split = Encoded

// digestHead begins the digest, which identifies the content of a corpus whatever it is packed in: the
// SHA-256 of the class names and of each review's name, label and text, the
// reviews in the order of their names. Tokenisers have no part in it.
func digestHead(classes []string) []byte {
	b := binary.AppendUvarint([]byte("imdbexp corpus 1\n"), uint64(len(classes)))
	for _, c := range classes {
		b = appendString(b, c)
	}
	return b
}

// reviewDigest returns the digest of a review. It uses buf again.
func reviewDigest(buf *[]byte, p Part, r Review) [sha256.Size]byte {
	b := append((*buf)[:0], byte(p))
	b = appendString(b, r.ID)
	b = binary.AppendVarint(b, int64(r.Label))
	b = append(b, r.Text...)
	*buf = b
	return sha256.Sum256(b)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// KeyOf names a content as split by a tokeniser.
func KeyOf(digest string, tok token.Tokenizer) string {
	return digest[:min(16, len(digest))] + "-" + tok.Name + strconv.Itoa(tok.Version)
}

// Part returns the split of a part.
func (c *Corpus) Part(p Part) *Split {
	return [...]*Split{&c.Train, &c.Test, &c.Extra}[p]
}

// First returns which reviews a limit of n keeps, as Encode does: the first n of each
// class, all for 0.
func (s *Split) First(n, classes int) []int {
	kept := make([]int, 0, s.Len())
	seen := make([]int, classes)
	for b, l := range s.Labels {
		if n > 0 && seen[l] >= n {
			continue
		}
		seen[l]++
		kept = append(kept, b)
	}
	return kept
}

// Vocab is the words of a corpus by falling count, equal counts in the order
// of their bytes. A word's ID is its place.
type Vocab struct {
	Words  []string // [V]
	Counts []int64  // [V] in the whole corpus, unlabelled reviews included
}

// Index maps each word to its place.
func Index(words []string) map[string]int32 {
	m := make(map[string]int32, len(words))
	for i, w := range words {
		m[w] = int32(i)
	}
	return m
}

// SortVocab brings words into the order of a Vocab and returns it with the
// place of each of the given words.
func SortVocab(words []string, counts []int64) (v *Vocab, place []int32) {
	order := make([]int32, len(words))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(words[a], words[b]))
	})
	v, place = &Vocab{make([]string, len(words)), make([]int64, len(words))}, make([]int32, len(words))
	for p, i := range order {
		place[i], v.Words[p], v.Counts[p] = int32(p), words[i], counts[i]
	}
	return v, place
}

// Encoded is B reviews with N words in all. Ready for training, words are rows of a Table, and every
// review has at least one; or it is one side of B sentence pairs, words as IDs of a Words.
type Encoded struct {
	IDs     []int32  // [N]
	Offsets []int    // [B+1] review b has the words Offsets[b] … Offsets[b+1]
	Labels  []int32  // [B] class, or Unlabelled
	Names   []string // [B] such as train/pos/0_9
	Targets *Encoded // the translations of the same B, rows of another vocabulary; nil for reviews
}

// NewEncoded returns an empty list with room for reviews and words.
func NewEncoded(reviews, words int) *Encoded {
	return &Encoded{
		IDs: make([]int32, 0, words), Offsets: make([]int, 1, reviews+1),
		Labels: make([]int32, 0, reviews), Names: make([]string, 0, reviews),
	}
}

// Add appends a review.
func (e *Encoded) Add(ids []int32, label int32, name string) {
	e.IDs = append(e.IDs, ids...)
	e.Offsets = append(e.Offsets, len(e.IDs))
	e.Labels, e.Names = append(e.Labels, label), append(e.Names, name)
}

// Len returns B, the number of reviews.
func (e *Encoded) Len() int { return len(e.Labels) }

// Words returns the words of review b.
func (e *Encoded) Words(b int) []int32 { return e.IDs[e.Offsets[b]:e.Offsets[b+1]] }

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

// published are the digests of the published content, independent of its packing: of the
// reviews as Source yields them, and of the text of the vectors.
var published = map[string]string{
	"imdb":    "26aab42dc98644e8e39004b5a7dcd85cdb2810c2d3e26d2b083a74c38452812f",
	"glove50": "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f",
}

// Published returns the digest of published data, "" if it is unknown.
func Published(name string) string { return published[name] }

// Pack makes dst the batch of the given reviews, by falling length, equal
// lengths by index; sentence pairs by the length of their sources.
func Pack(e *Encoded, reviews []int32, dst *ragged.Batch) {
	dst.Reset(e.Targets != nil)
	dst.Sort(len(reviews), func(a, b int32) int { return compareLength(e, reviews[a], reviews[b]) })
	for _, i := range dst.Order {
		r := reviews[i]
		dst.Add(r, e.Labels[r], e.Words(int(r)))
		if e.Targets != nil {
			dst.AddTarget(e.Targets.Words(int(r)))
		}
	}
}

// compareLength puts longer reviews first, those of equal length by index.
func compareLength(e *Encoded, a, b int32) int {
	return cmp.Or(cmp.Compare(len(e.Words(int(b))), len(e.Words(int(a)))), cmp.Compare(a, b))
}

// ByLength returns the indices of all reviews by falling length, equal lengths
// by index: the order for evaluation, where reviews of one length share a batch.
func ByLength(e *Encoded) []int32 {
	order := make([]int32, e.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compareLength(e, a, b) })
	return order
}

// Shuffle returns 0 … n−1 in an order that depends on seed and epoch alone.
func Shuffle(n int, seed, epoch uint64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	stream := dice.Hash(seed, dice.Name("shuffle"), epoch)
	for i := n - 1; i > 0; i-- { // Fisher and Yates
		j := dice.Below(dice.Hash(stream, uint64(i)), i+1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
