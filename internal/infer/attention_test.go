package infer_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
)

// What is recomputed step by step in float64 comes to what the network says, for
// every model that attends.
func TestStepsComeToTheNetwork(t *testing.T) {
	const text = "the cast is great , but the xyzzy is not ."
	for _, c := range []struct {
		name, settings string
		look           infer.Look
	}{
		{name: "tme9-simple", settings: "oov=learned"},
		{name: "tme9-query", settings: "slip.relu_logits=true"},
		{name: "tme9-values", settings: "value.activation=tanh"},
		{name: "tme9-lstm"},
		{name: "tme9-bilstm", settings: "value.activation=relu"},
		{name: "tme9-lstm", settings: "slip.lstm_values_only=true oov=masked"},
		{name: "tme10-self", settings: "layers=2", look: infer.Look{Layer: 1, Word: "great"}},
		{name: "tme10-cls-pe", settings: "heads=2 norm=layer", look: infer.Look{Head: 2}},
		{name: "tme10-self", settings: "slip.no_residual=true slip.softmax_queries=true slip.scale_d=true slip.sigmoid_logits=true layers=2"},
		{name: "tme10-pe", settings: "positions=halves norm=none pool=attention layers=1 activation=gelu"},
		{name: "tme10-pe", settings: "positions=learned norm.place=after scale=none"},
		{name: "multihead", settings: "pool=cls"},
		{name: "transformer", look: infer.Look{Layer: 1, Head: 3, Word: "4"}},
		{name: "additive", settings: "form=concat query=learned"},
		{name: "additive", settings: "cell=gru query=mean lambda=0.1"},
		{name: "luong"},
		{name: "luong", settings: "score=concat cell=gru bidirectional=false"},
		{name: "transformer", settings: "norm.place=before width=20 activation=gelu"},
	} {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			t.Parallel()
			run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=10")...)
			m := must.Get(infer.Open(run, pool))(t)
			defer m.Close()
			s := must.Get(m.Steps(text, c.look))(t)
			checkSteps(t, s)
			v := must.Get(m.View(text, infer.Look{Layer: c.look.Layer, Head: max(c.look.Head, min(1, len(m.Layers()))), Word: wordOf(c.look, s, m.Layers() != nil)}))(t)
			if s.OverQueries {
				return // the view scales the row to add up to one
			}
			weights := v.Weights
			if len(s.Words) > len(weights) {
				weights = append([]float32{v.Attended.CLS}, weights...)
			}
			for i, w := range weights {
				require.InDelta(t, w, s.Weights[i], 1e-5, s.Words[i])
			}
		})
	}
}

// wordOf names the word that looks in steps, for a view to look with it, too.
func wordOf(o infer.Look, s *infer.Steps, layers bool) string {
	switch {
	case o.Word != "" || !layers:
		return o.Word
	case s.Words[0] == infer.CLS:
		return infer.CLS
	}
	return "1"
}

func checkSteps(t *testing.T, s *infer.Steps) {
	t.Helper()
	require.Len(t, s.Known, len(s.Words))
	for c, z := range s.Network {
		require.InDelta(t, z, s.Logits[c], 2e-5, "logit %d", c)
	}
	total := 0.0
	for i, w := range s.Weights {
		total += w
		require.InDelta(t, s.Scaled[i], s.Scale*s.Scores[i], 1e-12)
	}
	if !s.OverQueries {
		require.InDelta(t, 1, total, 1e-12)
	}
	for j, sum := range s.Sum {
		for i, w := range s.Weights {
			sum -= w * s.Values[i][j]
		}
		require.InDelta(t, 0, sum, 1e-9, "Σ weight × value")
	}
	if s.Adds == nil {
		return
	}
	for c, z := range s.Logits {
		z -= s.Bias[c]
		for i := range s.Words {
			z -= s.Adds[i][c]
		}
		require.InDelta(t, 0, z, 1e-9, "what the words add")
	}
}

func TestStepsRefuse(t *testing.T) {
	for want, c := range map[string]struct{ name, settings, text string }{
		"has no attention, so it has no steps":           {"tme9-lstm-last", "", "a film"},
		"with slip.batch_slot_norm a prediction depends": {"tme10-self", "variant=code", "a film"},
		"with norm.eval=batch a prediction depends":      {"tme10-self", "norm.eval=batch layers=1", "a film"},
		"the text has 65 words":                          {"tme9-simple", "", strings.Repeat("film ", 65)},
		"the text has no words":                          {"tme9-simple", "", " "},
	} {
		run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=10")...)
		m := must.Get(infer.Open(run, pool))(t)
		defer m.Close()
		_, err := m.Steps(c.text, infer.Look{})
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(*infer.LookError))
	}
}

func TestLook(t *testing.T) {
	const text = "the cast is great , the plot 3"
	run, pool := train(t, "tme10-cls-pe", "layers=2", "heads=2", "epochs=1", "data.limit=10")
	m := must.Get(infer.Open(run, pool))(t)
	defer m.Close()
	look := func(o infer.Look) *infer.View {
		v := must.Get(m.View(text, o))(t)
		sum := float64(v.Attended.CLS) + float64(v.Attended.Padding)
		for i, w := range v.Weights {
			sum += float64(w)
			require.InDelta(t, 9*w, v.Ratio[i], 1e-6)
		}
		require.InDelta(t, 1, sum, 1e-5)
		require.Equal(t, 9, v.Attended.Choices, "words and [CLS]")
		require.LessOrEqual(t, v.Attended.Entropy, math.Log(9)+1e-9)
		return v
	}
	// The mean over the heads is that of the heads, and [CLS] is what looks by default.
	all, one, two := look(infer.Look{}), look(infer.Look{Layer: 2, Head: 1}), look(infer.Look{Layer: 2, Head: 2, Word: "[cls]"})
	for i, w := range all.Weights {
		require.InDelta(t, w, (one.Weights[i]+two.Weights[i])/2, 1e-6)
	}
	require.Equal(t, "what [CLS] looks at in layer 2 of 2, the mean of its 2 heads", all.Attended.What)
	require.Equal(t, `what word 4, "great", looks at in layer 1 of 2, head 2 of 2`, look(infer.Look{Layer: 1, Head: 2, Word: "GREAT"}).Attended.What)
	require.Equal(t, look(infer.Look{Word: "1"}).Weights, look(infer.Look{Word: "the"}).Weights, "the first of equal words")
	require.Contains(t, look(infer.Look{Word: "3"}).Attended.What, `word 3, "is"`, "a number is a place")
	for want, o := range map[string]infer.Look{
		"layer 3: the model has layers 1 to 2":             {Layer: 3},
		"in layer 1: head 3: the model has heads 1 to 2":   {Layer: 1, Head: 3},
		"word 9: the model reads words 1 to 8 of the text": {Word: "9"},
		`word "dog" is not one of the 8`:                   {Word: "dog"},
	} {
		_, err := m.View(text, o)
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(*infer.LookError))
	}
	plain, _ := train(t, "tme9-simple", "epochs=1", "data.limit=10")
	p := must.Get(infer.Open(plain, pool))(t)
	defer p.Close()
	require.ErrorContains(t, must.Fail(p.View(text, infer.Look{Layer: 1})), "no layers of self-attention")
}
