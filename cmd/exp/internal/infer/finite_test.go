package infer_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
)

// Weights that are no numbers are an error that names them, not probabilities.
func TestWeightsAreFinite(t *testing.T) {
	run, _ := train(t, "tme9-simple", "epochs=1", "data.limit=10", "vectors=random")
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		trained, err := infer.ReadRun(run)
		require.NoError(t, err)
		w := trained.Weights[0].Data.([]float32)
		w[len(w)-1] = bad
		var b bytes.Buffer
		require.NoError(t, trained.Write(&b))
		_, err = infer.ParseFile(b.Bytes())
		wrong := new(infer.NotFiniteError)
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, trained.Weights[0].Name, wrong.Tensor)
		require.Equal(t, len(w)-1, wrong.At)
		require.ErrorContains(t, err, "not finite")
	}
}
