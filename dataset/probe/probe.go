// Package probe holds minimal pairs: a text and its rewriting, changed as little as possible so that
// another label is right (Kaushik, Hovy and Lipton 2020; Gardner et al. 2020, contrast sets). They
// test a model and are never trained on.
package probe

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"slices"
)

// Pair is a text and its rewriting, with their labels as they were written.
type Pair struct {
	ID        string `json:"id"`
	Set       string `json:"set"` // the set of pairs that it belongs to, such as cad_test
	Original  Text   `json:"original"`
	Rewritten Text   `json:"rewritten"`
}

// Text is a text and its label.
type Text struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// The names of the texts of a pair are its ID and one of these.
const (
	OriginalText  = "/original"
	RewrittenText = "/rewritten"
)

// Probe is a data set of minimal pairs.
type Probe struct {
	Name  string
	Pairs []Pair
}

// Sets returns the names of its sets, in the order of the pairs.
func (p *Probe) Sets() (names []string) {
	for _, x := range p.Pairs {
		if !slices.Contains(names, x.Set) {
			names = append(names, x.Set)
		}
	}
	return names
}

// Texts yields all originals and rewritings.
func (p *Probe) Texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, x := range p.Pairs {
			if !yield(x.Original.Text) || !yield(x.Rewritten.Text) {
				return
			}
		}
	}
}

// Digest identifies the content of a probe.
func (p *Probe) Digest() string {
	b := []byte("imdbexp probe 1\n")
	for _, x := range p.Pairs {
		for _, s := range []string{x.ID, x.Set, x.Original.Label, x.Original.Text, x.Rewritten.Label, x.Rewritten.Text} {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
