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
		return a.changed(ctx, texts, func(rows []int32, word int) []int32 {
			rows = slices.Delete(rows, word, word+1)
			if len(rows) == 0 {
				rows = append(rows, embedding.OOVRow)
			}
			return rows
		})
	},
}

var occlusion = Score{
	Name: "occlusion", Title: "occlusion", Signed: true, Source: "Zeiler and Fergus 2014; Ancona et al. 2018",
	Repeats: perWord,
	Says:    "What the margin of the class loses when the mean of all word vectors replaces the word. The length of the text and the positions of the other words stay the same.",
	compute: func(ctx context.Context, a *Asker, texts []Text) (out [][]float32, err error) {
		err = a.model.WithVectors(a.model.MeanVector(), func(mean int32, _ []float32) error {
			out, err = a.changed(ctx, texts, func(rows []int32, word int) []int32 {
				rows[word] = mean
				return rows
			})
			return err
		})
		return out, err
	},
}

const perWord = "it asks the model once for each word"

// changed returns by how much the margin falls when each word in turn is changed. A text
// of n words is asked about n times.
func (a *Asker) changed(ctx context.Context, texts []Text, change func(rows []int32, word int) []int32) ([][]float32, error) {
	out, whole := make([][]float32, len(texts)), make([]float64, len(texts))
	err := a.model.Each(ctx, encoded(texts), func(i int, b *infer.Batch, k int) error {
		whole[i] = Margin(b.Logits(k), texts[i].Class)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var rows []int32
	for i, t := range texts {
		n := len(t.Rows)
		out[i] = make([]float32, n)
		size := min(n, max(1, maxRows/max(1, n))) // of a group of changed texts
		list := make([]infer.Encoded, size)
		for from := 0; from < n; from += size {
			list = list[:min(size, n-from)]
			rows = slices.Grow(rows[:0], len(list)*n)
			for k := range list {
				lo := len(rows)
				rows = append(rows, t.Rows...)
				list[k].Rows = change(rows[lo:len(rows):len(rows)], from+k)
			}
			err := a.model.Each(ctx, list, func(k int, b *infer.Batch, at int) error {
				out[i][from+k] = float32(whole[i] - Margin(b.Logits(at), t.Class))
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// maxRows is about how many words of changed texts are held at once; a variable for tests.
var maxRows = 1 << 22
