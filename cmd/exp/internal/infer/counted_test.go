package infer_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
)

// A model with some of its n-grams says what it said of a text that has no others, in bits,
// and of any other how many it lacks; also as a page has it.
func TestCutNgrams(t *testing.T) {
	const known = "the jokes are never hilarious , and the plot is a mess"
	others := []string{"a good film", "the actors are wonderful but the story is boring", "xyzzy", known + " with good actors"}
	for name, settings := range map[string][]string{
		"nbsvm": {"data.limit=200"}, "bow-lr": {"data.limit=200"},
		"best": {"data.limit=100", "epochs=1", "vectors=random", "vectors.dim=8", "lstm.hidden=4", "wide.folds=2", "average=0"},
	} {
		t.Run(name, func(t *testing.T) {
			run, pool := trainWith(t, name, settings)
			full, err := infer.Open(run, pool)
			require.NoError(t, err)
			defer full.Close()
			trained, err := infer.ReadRun(run)
			require.NoError(t, err)
			kept, of, err := trained.CutNgrams(40, known)
			require.NoError(t, err)
			require.Greater(t, of, 4*kept)
			model, words := trained.SplitTable()
			var b bytes.Buffer
			require.NoError(t, model.Write(&b))
			back, err := infer.ParseFile(b.Bytes())
			require.NoError(t, err)
			require.NoError(t, back.JoinTable(words))
			cut, err := back.Model(pool)
			require.NoError(t, err)
			defer cut.Close()
			lacking := 0
			for _, text := range append([]string{known, ""}, others...) {
				lacks, has, left, is := cut.LeftOut(cut.Encode(text))
				require.True(t, is)
				require.Equal(t, []int{kept, of - kept}, []int{has, left})
				want, err := full.View(text, infer.Look{})
				require.NoError(t, err)
				got, err := cut.View(text, infer.Look{})
				require.NoError(t, err)
				if text == known {
					require.Zero(t, lacks)
				}
				if lacks == 0 {
					require.Equal(t, want.P, got.P, text)
				} else {
					lacking++
				}
			}
			require.Positive(t, lacking)
			_, _, _, is := full.LeftOut(full.Encode(known))
			require.False(t, is)
		})
	}
}
