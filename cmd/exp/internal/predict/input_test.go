package predict

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
)

// Whether a text is shown whole hangs on the input, not on when its texts come.
func TestPredictionsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		onScreen, typed bool
		texts           int
		want            string // after each text, and at the end
	}{
		"one, to the terminal":     {true, false, 1, "|a whole"},
		"several, to the terminal": {true, false, 3, "|a b|c|"},
		"typed":                    {true, true, 2, "a whole|b whole|"},
		"into a file":              {false, false, 2, "a|b|"},
		"none":                     {true, false, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var shown []string
			p := &predicting{onScreen: c.onScreen, typed: c.typed, score: newLabelScore([]string{"neg", "pos"})}
			p.show = func(t infer.Input, _ infer.Answer, _ int, alone bool) error {
				if shown = append(shown, t.ID); alone {
					shown = append(shown, "whole")
				}
				return nil
			}
			var got []string
			step := func(err error) {
				require.NoError(t, err)
				got, shown = append(got, strings.Join(shown, " ")), nil
			}
			for _, id := range []string{"a", "b", "c"}[:c.texts] {
				step(p.next(prediction{infer.Input{ID: id}, infer.Answer{}}))
			}
			step(p.last())
			require.Equal(t, c.want, strings.Join(got, "|"))
		})
	}
}
