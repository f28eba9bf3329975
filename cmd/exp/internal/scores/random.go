package scores

import (
	"context"

	"imdbexp/dataset"
)

var random = Score{
	Name: Random, Title: "random", Source: "the floor",
	Says: "A number drawn for each word, which knows nothing: what no score may fall below.",
	of: func(_ context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, t := range texts {
			n := len(t.Rows)
			out[i] = make([]float32, n)
			for rank, k := range dataset.Shuffle(n, a.Seed, uint64(t.Number)) {
				out[i][k] = float32(n-rank) / float32(n)
			}
		}
		return out, nil
	},
}

// IsChance reports whether a title is that of the score by chance.
func IsChance(title string) bool { return title == random.Title }
