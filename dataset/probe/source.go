package probe

import (
	"context"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
)

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
		inOriginal, inRewritten := changedSpans(x.Original.Text, x.Rewritten.Text)
		err := yield(dataset.Test, dataset.Review{ID: x.ID + OriginalText, Text: x.Original.Text, Label: class(x.Original.Label), Rationale: inOriginal})
		if err == nil {
			err = yield(dataset.Test, dataset.Review{ID: x.ID + RewrittenText, Text: x.Rewritten.Text, Label: class(x.Rewritten.Label), Rationale: inRewritten})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changedSpans returns the words that a pair does not have in common. A text with nothing changed
// has an empty list.
func changedSpans(a, b string) (inA, inB []dataset.Span) {
	first, second := token.Tokens(token.PTB{}, a), token.Tokens(token.PTB{}, b)
	changedA, changedB := dataset.Changed(words(first), words(second))
	return spans(first, changedA), spans(second, changedB)
}

func words(list []token.Token) (out []string) {
	for _, t := range list {
		out = append(out, t.Word)
	}
	return out
}

func spans(list []token.Token, changed []bool) []dataset.Span {
	out := []dataset.Span{}
	for i, is := range changed {
		if is {
			out = append(out, dataset.Span{Start: list[i].Start, End: list[i].End})
		}
	}
	return out
}
