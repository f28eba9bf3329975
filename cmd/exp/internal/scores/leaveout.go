package scores

import (
	"context"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset/embedding"
)

var leaveOut = Score{
	Name: LeaveOut, Title: "leave one out", Signed: true, Source: "Robnik-Šikonja and Kononenko 2008; Li, Monroe and Jurafsky 2016",
	Repeats: perWord,
	Says:    "What the margin of the class loses when the word is removed from the text. If two words say the same thing, both may score zero.",
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.changed(ctx, texts, func(rows, text []int32, word int) []int32 {
			return append(append(rows, text[:word]...), text[word+1:]...)
		})
	},
}

var occlusion = Score{
	Name: "occlusion", Title: "occlusion", Signed: true, Source: "Zeiler and Fergus 2014; Ancona et al. 2018",
	Repeats: perWord,
	Says:    "What the margin of the class loses when the mean of all word vectors replaces the word. The length of the text and the positions of the other words stay the same.",
	compute: func(ctx context.Context, a *Asker, texts []Text) (out [][]float32, err error) {
		err = a.model.WithVectors(a.model.MeanVector(), func(mean int32, _ []float32) error {
			out, err = a.changed(ctx, texts, func(rows, text []int32, word int) []int32 {
				return append(append(append(rows, text[:word]...), mean), text[word+1:]...)
			})
			return err
		})
		return out, err
	},
}

const perWord = "it asks the model once for each word"

// changed returns by how much the margin falls when each word in turn is changed: change appends the
// changed text to rows. A text of n words is asked about n times.
func (a *Asker) changed(ctx context.Context, texts []Text, change func(rows, text []int32, word int) []int32) ([][]float32, error) {
	out, whole := make([][]float32, len(texts)), make([]float64, len(texts))
	err := a.model.Each(ctx, encoded(texts), func(i int, b *infer.Batch, k int) error {
		whole[i] = Margin(b.Logits(k), texts[i].Class)
		return nil
	})
	for i, t := range texts {
		if err != nil {
			return nil, err
		}
		out[i] = make([]float32, len(t.Rows))
		err = a.variants(ctx, t, len(t.Rows), func(rows []int32, word int) []int32 { return change(rows, t.Rows, word) },
			func(word int, b *infer.Batch, k int) { out[i][word] = float32(whole[i] - Margin(b.Logits(k), t.Class)) })
	}
	return out, err
}

// variants asks about n variants of a text: build appends variant i to rows, and heard is called with
// its place in a batch. A variant without words is one unknown word.
func (a *Asker) variants(ctx context.Context, t Text, n int, build func(rows []int32, i int) []int32, heard func(i int, b *infer.Batch, k int)) error {
	size := max(1, maxRows/max(1, len(t.Rows))) // of a group
	var rows []int32
	for from := 0; from < n; from += size {
		list := make([]infer.Encoded, min(size, n-from))
		rows = slices.Grow(rows[:0], len(list)*max(1, len(t.Rows)))
		for k := range list {
			lo := len(rows)
			if rows = build(rows, from+k); len(rows) == lo {
				rows = append(rows, embedding.OOVRow)
			}
			list[k].Rows = rows[lo:len(rows):len(rows)]
		}
		err := a.model.Each(ctx, list, func(k int, b *infer.Batch, at int) error {
			heard(from+k, b, at)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxRows is about how many words of variants are held at once; a variable for tests.
var maxRows = 1 << 22
