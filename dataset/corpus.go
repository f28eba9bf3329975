package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"

	"imdbexp/dataset/token"
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
type digest struct{ hash.Hash }

func newDigest(classes []string) digest {
	b := binary.AppendUvarint([]byte("imdbexp corpus 1\n"), uint64(len(classes)))
	for _, c := range classes {
		b = appendString(b, c)
	}
	d := digest{sha256.New()}
	d.Write(b)
	return d
}

func (d digest) String() string { return hex.EncodeToString(d.Sum(nil)) }

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
	return digest[:min(16, len(digest))] + "-" + tok.Name() + strconv.Itoa(tok.Version())
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
