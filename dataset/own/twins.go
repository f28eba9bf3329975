package own

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"imdbexp/dataset"
)

// A model sees no difference between texts that differ in white space or in how letters with
// marks are composed: they are twins, and count as the same text. The split keeps what it
// was for texts without a twin, which is why those have the key of their bytes.

// unplain is a review whose text is not plain.
type unplain struct {
	plain uint64 // the key of its text made plain
	at    int32  // which review
}

// remember keeps a review with the key of its text.
func (g *gatherer) remember(x gathered, text string) {
	x.key = textKey(text)
	if x.part != dataset.Extra && !isPlain(text) {
		g.unplain = append(g.unplain, unplain{textKey(plainText(text)), int32(g.reviews.n)})
	}
	g.reviews.add(x)
}

// joinTwins gives texts that have a twin the key of their plain form.
func (g *gatherer) joinTwins() {
	slices.SortFunc(g.unplain, func(a, b unplain) int { return cmp.Compare(a.plain, b.plain) })
	first := func(key uint64) (int, bool) {
		return slices.BinarySearchFunc(g.unplain, key, func(u unplain, key uint64) int { return cmp.Compare(u.plain, key) })
	}
	twins := make([]bool, len(g.unplain)) // at the first of each plain form
	for _, u := range g.unplain {
		f, _ := first(u.plain)
		twins[f] = twins[f] || g.reviews.at(u.at).key != g.reviews.at(g.unplain[f].at).key
	}
	for _, r := range g.reviews.all {
		if f, ok := first(r.key); ok && r.part != dataset.Extra {
			twins[f] = true
		}
	}
	for _, u := range g.unplain {
		if f, _ := first(u.plain); twins[f] {
			g.reviews.at(u.at).key = u.plain
		}
	}
	g.unplain = nil
}

// plainText composes letters as tokenisers do (NFC), and puts one blank for each run of
// white space between words.
func plainText(text string) string {
	return strings.Join(strings.FieldsFunc(norm.NFC.String(text), isSpace), " ")
}

// isPlain reports whether plainText would leave a text as it is; most are, and none is copied.
func isPlain(text string) bool {
	after := true // a blank, or nothing
	for _, r := range text {
		if isSpace(r) && (after || r != ' ') {
			return false
		}
		after = r == ' '
	}
	return (!after || text == "") && norm.NFC.IsNormalString(text)
}

func isSpace(r rune) bool {
	return unicode.IsSpace(r) && r != 0x85 // which PTB reads as three dots
}

// textKey tells texts apart, and puts them into an order that has nothing to do
// with what they say, the same for ever.
func textKey(text string) uint64 {
	h := sha256.New()
	io.WriteString(h, "imdbexp test split 1\n")
	io.WriteString(h, text)
	return binary.BigEndian.Uint64(h.Sum(nil))
}
