// Package probe holds minimal pairs: a text and its rewriting, changed as little as possible so that
// another label is right (Kaushik, Hovy and Lipton 2020; Gardner et al. 2020, contrast sets). They
// test a model and are never trained on.
package probe

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/dataset/token"
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

// Source yields the texts of a probe as test reviews, ID/original and ID/rewritten. The words that
// differ in a pair are their rationales: people changed them for another label to be right.
type Source struct {
	*Probe
	Shown string // what messages call the probe
}

// String implements dataset.Source.
func (s Source) String() string { return s.Shown }

// TestOnly says that nothing is there to train on.
func (Source) TestOnly() bool { return true }

// HasRationales says that reviews have rationales.
func (Source) HasRationales() bool { return true }

// Classes returns the labels in order; neg and pos for negative and positive, as IMDB has them.
func (s Source) Classes() []string {
	var keys []string
	for _, x := range s.Pairs {
		keys = append(keys, dataset.LabelKey(x.Original.Label), dataset.LabelKey(x.Rewritten.Label))
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); slices.Equal(keys, []string{"negative", "positive"}) {
		return []string{"neg", "pos"}
	}
	return keys
}

// Reviews implements dataset.Source.
func (s Source) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	classes := s.Classes()
	class := func(label string) int {
		key := dataset.LabelKey(label)
		return slices.IndexFunc(classes, func(c string) bool {
			return c == key || c == "neg" && key == "negative" || c == "pos" && key == "positive"
		})
	}
	for _, x := range s.Pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, second := token.Tokens(token.PTB, x.Original.Text), token.Tokens(token.PTB, x.Rewritten.Text)
		inFirst, inSecond := dataset.Changed(words(first), words(second))
		err := yield(dataset.Test, dataset.Review{ID: x.ID + OriginalText, Text: x.Original.Text, Label: class(x.Original.Label), Rationale: spans(first, inFirst)})
		if err == nil {
			err = yield(dataset.Test, dataset.Review{ID: x.ID + RewrittenText, Text: x.Rewritten.Text, Label: class(x.Rewritten.Label), Rationale: spans(second, inSecond)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func words(list []token.Token) (out []string) {
	for _, t := range list {
		out = append(out, t.Word)
	}
	return out
}

// spans returns the changed words; an empty list if nothing has changed.
func spans(list []token.Token, changed []bool) []dataset.Span {
	out := []dataset.Span{}
	for i, is := range changed {
		if is {
			out = append(out, dataset.Span{Start: list[i].Start, End: list[i].End})
		}
	}
	return out
}

// format is the version of the file of a probe in the data folder: gzipped lines of JSON, a header
// and one line for each pair.
const format = 1

type header struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Pairs   int      `json:"pairs"`
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// Limits of a probe, which is kept in memory whole.
const (
	maxText  = 1 << 20
	maxBytes = 1 << 30
	maxPairs = 1_000_000
)

// Write writes a probe into a file.
func (p *Probe) Write(to string, sources []string) error {
	return jsonl.WriteAll(to, header{format, p.Name, len(p.Pairs), sources}, p.Pairs)
}

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	return h.Format, h.Pairs, h.Pairs > 0 && h.Pairs <= maxPairs
}

// Open reads a probe from a file that Write wrote. shown is what messages call the file.
func Open(ctx context.Context, path, shown string, progress dataset.Progress) (*Probe, error) {
	var h header
	p := new(Probe)
	f := jsonl.File{Path: path, Shown: shown, Bytes: 2 * maxBytes, Line: 2 * maxText, Format: format, Progress: progress}
	err := jsonl.Read(ctx, f, &h, func(_ string, x *Pair) error {
		if x.ID == "" || x.Set == "" || x.Original.Label == "" || x.Rewritten.Label == "" {
			return jsonl.Bad("a name or a label is missing")
		}
		p.Pairs = append(p.Pairs, *x)
		return nil
	})
	p.Name = h.Name
	return p, err
}
