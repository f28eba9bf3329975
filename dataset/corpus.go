package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	"imdbexp/dataset/token"
)

// Corpus is a data set split into words, as IDs of its vocabulary.
type Corpus struct {
	Name      string
	Tokenizer string   // name of the tokeniser
	Digest    string   // SHA-256 of the content, see digest
	Classes   []string // names of the labels 0, 1, …
	Vocab     *Vocab

	Train, Test Split
	Extra       Split // unlabelled reviews; empty unless open.Options asks for them

	Key string // names its cache files: digest, tokeniser and format
}

// Split is B reviews with N words in all, in the order of their names.
type Split struct {
	IDs     []int32  // [N]
	Offsets []int    // [B+1] review b has the words Offsets[b] … Offsets[b+1]
	Labels  []int32  // [B] class, or Unlabelled
	Names   []string // [B] such as train/pos/0_9
}

// Len returns B, the number of reviews.
func (s *Split) Len() int { return len(s.Labels) }

// Words returns the word IDs of review b.
func (s *Split) Words(b int) []int32 { return s.IDs[s.Offsets[b]:s.Offsets[b+1]] }

// digest identifies the content of a corpus whatever it is packed in: the
// SHA-256 of the class names and of each review's name, label and text, the
// reviews in the order of their names. Tokenisers have no part in it.
type digest struct{ b []byte }

func newDigest(classes []string) *digest {
	d := &digest{b: []byte("imdbexp corpus 1\n")}
	d.b = binary.AppendUvarint(d.b, uint64(len(classes)))
	for _, c := range classes {
		d.b = appendString(d.b, c)
	}
	return d
}

// add appends one review's own digest.
func (d *digest) add(review [sha256.Size]byte) { d.b = append(d.b, review[:]...) }

func (d *digest) String() string {
	sum := sha256.Sum256(d.b)
	return hex.EncodeToString(sum[:])
}

// reviewDigest covers what a review is. buf is used again.
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

// KeyOf names what a tokeniser made of a content.
func KeyOf(digest string, tok token.Tokenizer) string {
	return digest[:min(16, len(digest))] + "-" + tok.Name() + strconv.Itoa(tok.Version())
}

// Part returns the split of a part.
func (c *Corpus) Part(p Part) *Split {
	return [...]*Split{&c.Train, &c.Test, &c.Extra}[p]
}

// check refuses a corpus on which nothing can be trained.
func (c *Corpus) check() error {
	for _, p := range []Part{Train, Test} {
		n := make([]int, len(c.Classes))
		for _, l := range c.Part(p).Labels {
			n[l]++
		}
		for l, class := range c.Classes {
			if n[l] == 0 {
				return fmt.Errorf("no %s reviews of class %q: the data set is not whole", p, class)
			}
		}
	}
	return nil
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
