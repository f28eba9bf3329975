package inpage_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/handout/inpage"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/testmodel"
	"imdbexp/cmd/exp/internal/web/ask"
)

var texts = []string{"the film is good and the story is a mess", "unknowable words, a film", "", "good\u202e <b>\x00"}

// What a page says of a text has the bits of the run's own model, also where runs share a
// table of words.
func TestPlayer(t *testing.T) {
	p := inpage.New()
	defer func() { assert.NoError(t, p.Close()) }()
	require.ErrorContains(t, p.Model(nil, 0), "safetensors")
	for i, words := range [][]string{{"tme9-simple"}, {"tme10-cls", "layers=2", "heads=2"}} {
		run, pool := testmodel.Train(t, words[0], words[1:]...)
		trained, err := infer.ReadRun(run)
		require.NoError(t, err)
		model, table := trained.Apart()
		var b bytes.Buffer
		if i == 0 {
			_, err = infer.WriteTable(&b, table)
			require.NoError(t, err)
			require.NoError(t, p.Table(b.Bytes()))
		}
		b.Reset()
		require.NoError(t, model.Write(&b))
		require.ErrorContains(t, p.Model(b.Bytes(), 1), "no table 1")
		require.NoError(t, p.Model(b.Bytes(), 0))
		m, err := trained.Model(pool)
		require.NoError(t, err)
		for _, text := range texts {
			want, err := m.View(text, infer.Look{})
			require.NoError(t, err)
			got := put(t, p, i, ask.Question{Text: text})
			require.Equal(t, run.Label(), got.Run)
			require.Equal(t, want.P, got.P)
			require.Equal(t, want.Attended.Entropy, got.Attention.Entropy)
			for _, piece := range got.Pieces {
				if piece.Word > 0 {
					require.Equal(t, math.Float32bits(want.Weights[piece.Word-1]), math.Float32bits(piece.Weight), piece.Text)
				}
			}
		}
		require.NoError(t, m.Close())
	}
	a := put(t, p, 0, ask.Question{Text: texts[0], Steps: true, Pushes: true, Matrix: true})
	require.Equal(t, []string{"the model has no layers of self-attention"}, a.Lacks)
	require.Len(t, a.Steps.Weights, 10)
	require.Len(t, a.Steps.Adds, 10)
	require.Len(t, a.Steps.Values[0], 3)
	sum := 0.0
	for _, piece := range a.Pieces {
		sum += piece.Says
	}
	require.InDelta(t, a.Pushes.Sum, sum, 1e-9)
	require.Equal(t, a.Classes[a.Class], a.Pushes.Above)

	a = put(t, p, 1, ask.Question{Text: "the film is good", Layer: 1, Head: 2, Matrix: true})
	require.Equal(t, []string{"[CLS]", "the", "film", "is", "good"}, a.Matrix.Words)
	for _, row := range a.Matrix.Rows {
		total := float32(0)
		for _, w := range row {
			total += w
		}
		require.InDelta(t, 1, total, 1e-5)
	}
	_, err := p.Ask(2, "{}")
	require.ErrorContains(t, err, "no model 2")
	_, err = p.Ask(0, "{")
	require.Error(t, err)
}

func put(t testing.TB, p *inpage.Player, i int, q ask.Question) (a ask.Answer) {
	t.Helper()
	question, err := json.Marshal(q)
	require.NoError(t, err)
	answer, err := p.Ask(i, string(question))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(answer, &a))
	return a
}
