package own

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"
	"unicode"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
)

// A model sees words. Texts with the same words are the same text to it, whatever their case,
// markup, quotes, white space and composition of letters. Such texts share a key, and so a side of
// the split. A text without such a twin has the key of its bytes, so its side never changes.

// remember keeps a review with the keys of its bytes and of its words.
func (g *gatherer) remember(x gathered, text string) {
	x.key = textKey(text)
	x.words, x.empty = wordsKey(text)
	g.reviews = append(g.reviews, x)
}

// joinTwins gives texts with the same words the key of their words.
func (g *gatherer) joinTwins() {
	labelled := make([]*gathered, 0, len(g.reviews))
	for i := range g.reviews {
		if r := &g.reviews[i]; r.part != dataset.Extra {
			labelled = append(labelled, r)
		}
	}
	slices.SortStableFunc(labelled, func(a, b *gathered) int { return cmp.Compare(a.words, b.words) })
	for len(labelled) > 0 {
		first := labelled[0]
		n := 1
		for n < len(labelled) && labelled[n].words == first.words {
			n++
		}
		if slices.ContainsFunc(labelled[:n], func(r *gathered) bool { return r.key != first.key }) {
			for _, r := range labelled[:n] {
				r.key = r.words
			}
		}
		labelled = labelled[n:]
	}
}

// wordsKey returns a hash of the words of a text. A text is empty if no word can be seen: it is
// blank, markup, or characters such as U+200B.
func wordsKey(text string) (key uint64, empty bool) {
	h := sha256.New()
	io.WriteString(h, "imdbexp words 1")
	empty = true
	token.PTB{}.Split(text, func(word []byte, _, _ int) {
		h.Write([]byte{0})
		h.Write(word)
		empty = empty && !bytes.ContainsFunc(word, visible)
	})
	return binary.BigEndian.Uint64(h.Sum(nil)), empty
}

// visible reports whether a character has a shape.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !dataset.Invisible(r)
}

// textKey is a hash of a text. It orders texts at random, in the same way in every version.
func textKey(text string) uint64 {
	h := sha256.New()
	io.WriteString(h, "imdbexp test split 1\n")
	io.WriteString(h, text)
	return binary.BigEndian.Uint64(h.Sum(nil))
}
