package models_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"imdbexp/internal/simd"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// The gradient of a word's vector is the sum of the gradients of its rows, against
// differences of the cost: for models that read the words by each of the ways
// there are. Words come several times, in one review and in several.
func TestVectorGradients(t *testing.T) {
	const vocabulary = 9
	for _, v := range variants {
		name := fmt.Sprint(v.Model, v.Put)
		if strings.Contains(name, "dropout") || strings.Contains(name, "attention=frozen") || !slices.Contains([]string{"mean", "simple", "query", "values", "lstm"}, v.Model) {
			continue // another cost at every run, or a gradient that is not all of the slope; normalised over a few reviews, a cost too bent for differences
		}
		t.Run(name, func(t *testing.T) {
			d := newData(lengths(6)...)
			d.Table = d.Table[:vocabulary*dim]
			for i := range d.batch.IDs {
				d.batch.IDs[i] = int32(i * i % vocabulary)
			}
			n := newNetwork(t, models.Spec{Model: newModel(t, v.Model, v.Put...), Training: true, TrainRows: true})
			cost := func() float64 {
				require.NoError(t, n.Run(&d.batch, models.Inputs{Table: d.Table, Base: d.Base}, 0))
				return float64(n.Cost())
			}
			cost()
			require.False(t, n.NeedsMeans(), "the means are part of the graph")
			grads := make([]float32, len(d.Table))
			for i, id := range d.batch.IDs {
				simd.Add(grads[int(id)*dim:][:dim], n.RowGradients().Row(i))
			}
			require.Greater(t, simd.SumSquares(grads), 0.0)
			const h = 1.0 / 64 // a step that float32 takes exactly
			var wrong, size float64
			for i, was := range d.Table {
				d.Table[i] = was + h
				up := cost()
				d.Table[i] = was - h
				down := cost()
				d.Table[i] = was
				want := (up - down) / (2 * h)
				wrong += (want - float64(grads[i])) * (want - float64(grads[i]))
				size += want * want
			}
			require.Less(t, math.Sqrt(wrong/size), 0.01, "relative error over the table")
		})
	}
}
