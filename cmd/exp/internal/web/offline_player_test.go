package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/offline/inpage"
	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
)

var texts = []string{"the film is good and the story is a mess", "unknowable words, a film", "", " good\u202e <b>\x00\tis \n"}

// The prediction of a page has the bits of the run's own model, also if runs share a table
// of words.
func TestPlayer(t *testing.T) {
	p := inpage.New()
	defer func() { assert.NoError(t, p.Close()) }()
	require.ErrorContains(t, p.Model(nil, nil), "safetensors")
	for i, words := range [][]string{{"tme9-simple"}, {"tme10-cls", "layers=2", "heads=2"}} {
		run, pool := testmodel.Train(t, words[0], words[1:]...)
		trained := must.Get(infer.ReadRun(run))(t)
		model, table := must.Get2(trained.SplitTable())(t)
		var b bytes.Buffer
		require.NoError(t, model.Write(&b))
		require.ErrorContains(t, p.Model(b.Bytes(), nil), "safetensors")
		require.NoError(t, p.Model(b.Bytes(), table))
		m := must.Get(trained.Model(pool))(t)
		for _, text := range texts {
			want := must.Get(m.View(text, infer.Selection{}))(t)
			got := put(t, p, i, ask.Question{Text: text})
			require.Equal(t, run.Label(), got.Run)
			require.Equal(t, want.P, got.P)
			require.Equal(t, want.Attended.Entropy, got.Attention.Entropy)
			require.Equal(t, i == 1, got.CLS)
			whole := ""
			for _, piece := range got.Pieces {
				if whole += piece.Text; piece.Word > 0 {
					require.Equal(t, math.Float32bits(want.Weights[piece.Word-1]), math.Float32bits(piece.Weight), piece.Text)
					require.Equal(t, want.Known[piece.Word-1], !piece.Unknown)
				}
			}
			require.Equal(t, text, whole)
		}
		require.NoError(t, m.Close())
	}
	a := put(t, p, 0, ask.Question{Text: texts[0], Steps: true, By: "leaveout", Matrix: true})
	require.Equal(t, []string{"the model has no layers of self-attention"}, a.Lacks)
	require.Len(t, a.Steps.Weights, 10)
	require.Len(t, a.Steps.Adds, 10)
	require.Len(t, a.Steps.Values[0], len(a.Steps.Sum))
	sum := 0.0
	for _, piece := range a.Pieces {
		sum += piece.Says
	}
	require.InDelta(t, a.Scored.Sum, sum, 1e-9)
	require.Equal(t, a.Classes[a.Class], a.Scored.Above)
	a = put(t, p, 0, ask.Question{Text: texts[0], By: "rollout"})
	require.Nil(t, a.Scored)
	require.ErrorContains(t, errors.New(a.Lacks[0]), "attention rollout: the model has no layers")
	a = put(t, p, 0, ask.Question{Text: strings.Repeat("good ", 101), By: "leaveout"})
	require.ErrorContains(t, errors.New(a.Lacks[0]), "for texts of at most 100 words, and this one has 101; exp attend --by leaveout")

	a = put(t, p, 1, ask.Question{Text: "the film is good", Layer: 1, Head: 2, Matrix: true})
	require.Equal(t, []string{"[CLS]", "the", "film", "is", "good"}, a.Matrix.Words)
	for _, row := range a.Matrix.Rows {
		total := float32(0)
		for _, w := range row {
			total += w
		}
		require.InDelta(t, 1, total, 1e-5)
	}
	require.ErrorContains(t, must.Fail(p.Ask(2, "{}")), "no model 2")
	require.Error(t, must.Fail(p.Ask(0, "{")))
}

// A page translates as the run's own model does, and shows its numbers.
func TestPlayerTranslates(t *testing.T) {
	for name, settings := range map[string][]string{"seq2seq-transformer": {"layers=2"}, "seq2seq-plain": nil} {
		run, pool := testmodel.Train(t, name, settings...)
		trained := must.Get(infer.Read(run))(t)
		var b bytes.Buffer
		require.NoError(t, trained.Write(&b))
		p := inpage.New()
		require.NoError(t, p.Model(b.Bytes(), nil))
		m := must.Get(translator.New(trained, pool))(t)
		const text = "the red xyzzy"
		want := must.Get(m.Translate(t.Context(), []infer.Input{{Text: text}}, translator.Search{Align: true}))(t)
		a := put(t, p, 0, ask.Question{Text: text, Steps: true})
		got := a.Translation
		require.Equal(t, want[0].Words, got.Words)
		require.Equal(t, want[0].LogProb, got.LogProb)
		require.Len(t, want[0].Unknown(), a.Unknown)
		require.Len(t, got.Steps, len(want[0].Words)+1)
		require.Equal(t, m.Steps(&want[0]), got.Steps)
		if name == "seq2seq-plain" {
			require.Nil(t, got.Alignment)
			continue
		}
		for _, selected := range []infer.Selection{{}, {Layer: 1, Head: 2}} {
			align := must.Get(want[0].Align(selected))(t)
			require.Equal(t, &align, put(t, p, 0, ask.Question{Text: text, Layer: selected.Layer, Head: selected.Head}).Translation.Alignment)
		}
		for question, wrong := range map[string]string{`{"text": " "}`: "no word", `{"text": "a", "layer": 3}`: "layer 3"} {
			require.ErrorContains(t, must.Fail(p.Ask(0, question)), wrong)
		}
		long := unanswered(p, ask.Question{Text: strings.Repeat("a ", 200)})
		require.ErrorContains(t, long, "200 words")
		require.NoError(t, m.Close())
		require.NoError(t, p.Close())
	}
}

// unanswered is the error of a question.
func unanswered(p *inpage.Player, q ask.Question) error {
	question, err := json.Marshal(q)
	if err == nil {
		_, err = p.Ask(0, string(question))
	}
	return err
}

func put(t testing.TB, p *inpage.Player, i int, q ask.Question) (a ask.Answer) {
	t.Helper()
	question := must.Get(json.Marshal(q))(t)
	answer := must.Get(p.Ask(i, string(question)))(t)
	require.NoError(t, json.Unmarshal(answer, &a))
	return a
}

// A model that the page trains can be given to a player, and predicts there as at the end of
// the training.
func TestPlayerTrains(t *testing.T) {
	o := must.Get(train.Offered())(t)
	p := inpage.New()
	defer p.Close()
	var kinds []string
	var last train.Answered
	tell := func(n train.News) {
		if kinds = append(kinds, n.Kind); n.Kind == "answer" {
			last = n.Value.(train.Answered)
		}
	}
	require.NoError(t, inpage.Train(`{"name": "tme9-mean"}`, tell, func(table, model []byte) {
		require.NoError(t, p.Model(model, table))
	}))
	require.Equal(t, "began", kinds[0])
	require.Equal(t, "ended", kinds[len(kinds)-1])
	require.Equal(t, last.Answer.P, put(t, p, 0, ask.Question{Text: o.Text}).P)

	require.ErrorContains(t, inpage.Train(`{"name": "tme9-simpel"}`, tell, nil), "tme9-simple")
}
