package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/sample"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
)

// The predictions of the page in a browser have the bits of exp predict, which predicts reviews
// in batches, and of exp attend.
func TestBrowserSameBits(t *testing.T) {
	_, test := sample.Reviews()
	var texts []string
	for i := 0; i < 500; i += 5 { // some thousands of words
		texts = append(texts, test[i].Text)
	}
	page := &offline.Page{Title: "bits"}
	for _, words := range []string{"tme9-mean", "tme9-simple", "tme9-values", "tme9-lstm", "tme10-cls layers=1 heads=2", "transformer layers=1", "bow-lr"} {
		run, m := modelOf(t, words)
		page.Runs = append(page.Runs, onPage(run, m))
	}
	b := show(t, page)
	sameBits(t, page, &b.Page, texts)
	b.Sees("n-gram adds direction", `[...document.querySelectorAll("#answers section:last-child .largest thead th")].map((c) => c.textContent).join(" ")`)
}

// sameBits puts texts to the runs of a page in a browser and to the program's own models.
func sameBits(t *testing.T, page *offline.Page, b *testbrowser.Page, texts []string) {
	t.Helper()
	pool := ops.NewPool(1)
	defer pool.Close()
	in := numbers(t, page, b)
	for i, r := range page.Runs {
		m := must.Get(r.Model(pool))(t)
		var list []infer.Encoded
		for _, text := range texts {
			list = append(list, m.Encode(text))
		}
		want := make([][]float32, len(texts))
		require.NoError(t, m.Each(t.Context(), list, func(k int, batch *infer.Batch, at int) error {
			want[k] = slices.Clone(batch.P(at))
			return nil
		}))
		for at := 0; at < len(texts); at += 50 {
			some := must.Get(json.Marshal(texts[at:min(at+50, len(texts))]))(t)
			var got []ask.Answer
			require.NoError(t, json.Unmarshal([]byte(b.Text(fmt.Sprintf(`"[" + %s.map((text) => imdbexp.ask(%d, JSON.stringify({ text })).value).join() + "]"`, some, in[i]))), &got))
			for k, a := range got {
				k += at
				require.Equal(t, bits(want[k]), bits(a.P), "%s: %s", r.Label(), texts[k])
				view := must.Get(m.View(texts[k], infer.Selection{}))(t)
				if e := view.Explained; e != nil {
					require.Equal(t, math.Float64bits(e.Score()), math.Float64bits(a.Explained.Score), "%s: %s", r.Label(), texts[k])
					for _, p := range a.Pieces {
						if p.Word > 0 {
							require.Equal(t, e.Words[p.Word-1], p.Says, "%s: %s", r.Label(), texts[k])
						}
					}
				}
				if view.Attended == nil {
					require.Nil(t, a.Attention)
					continue
				}
				require.Equal(t, math.Float64bits(view.Attended.Entropy), math.Float64bits(a.Attention.Entropy), "%s: %s", r.Label(), texts[k])
				var weights []float32
				for _, p := range a.Pieces {
					if p.Word > 0 {
						weights = append(weights, p.Weight)
					}
				}
				require.Equal(t, bits(view.Weights), bits(weights), "%s: %s", r.Label(), texts[k])
			}
		}
		words := 8
		if i == 0 { // as many as have exact Shapley values, by 4096 predictions
			words = 12
		}
		sameScores(t, m, in[i], b, strings.Join(strings.Fields(shortest(texts))[:words], " "))
		require.NoError(t, m.Close())
	}
}

// shortest returns the shortest of texts that has more than a few words.
func shortest(texts []string) string {
	const few = 80 // letters
	out := texts[0]
	for _, text := range texts {
		if len(text) > few && len(text) < len(out) {
			out = text
		}
	}
	return out
}

// sameScores puts a text to model i of a page with each score, and compares the words' numbers
// with those of exp attend --by.
func sameScores(t *testing.T, m *infer.Model, i int, b *testbrowser.Page, text string) {
	t.Helper()
	a := scores.New(m, 1)
	defer a.Close()
	a.Exact = 12 // as on the page
	for _, s := range scores.All() {
		if s.Name == scores.Attention || s.Lacks(m) != "" {
			continue
		}
		question := must.Get(json.Marshal(ask.Question{Text: text, By: s.Name}))(t)
		var got ask.Answer
		require.NoError(t, json.Unmarshal([]byte(b.Text(fmt.Sprintf(`imdbexp.ask(%d, %q).value`, i, question))), &got))
		require.Empty(t, got.Lacks)
		want := must.Get(a.Compute(t.Context(), s, []scores.Text{{Encoded: m.Encode(text), Class: got.Class}}))(t)
		for _, p := range got.Pieces {
			if p.Word > 0 { // JSON keeps every bit of a number
				require.Equal(t, float64(want[0][p.Word-1]), p.Says, "run %d by %s: %s in %s", i, s.Name, p.Text, text)
			}
		}
	}
}

// Translations in a browser have the bits of exp predict, their alignment those of exp
// attend. The probabilities of steps are computed by math.Exp, which has an instruction of its own
// on some machines, so that their last bit may be another.
func TestBrowserSameTranslations(t *testing.T) {
	const count = 40
	_, test := phrases.Pairs()
	var texts []string
	var inputs []infer.Input
	for _, p := range test[:count] {
		texts, inputs = append(texts, p.Source), append(inputs, infer.Input{Text: p.Source})
	}
	page := &offline.Page{Title: "bits"}
	for _, words := range []string{"seq2seq-plain", "seq2seq-bahdanau", "seq2seq-luong", "seq2seq-transformer layers=2"} {
		run, m := modelOf(t, words+" data.limit=400")
		page.Runs = append(page.Runs, onPage(run, m))
	}
	b := show(t, page)
	pool := ops.NewPool(1)
	defer pool.Close()
	in := numbers(t, page, &b.Page)
	for i, r := range page.Runs {
		m := must.Get(translator.New(r.Trained, pool))(t)
		want := must.Get(m.Translate(t.Context(), inputs, translator.Search{Align: true}))(t)
		some := must.Get(json.Marshal(texts))(t)
		var got []ask.Answer
		require.NoError(t, json.Unmarshal([]byte(b.Text(fmt.Sprintf(`"[" + %s.map((text) => imdbexp.ask(%d, JSON.stringify({ text, steps: true })).value).join() + "]"`, some, in[i]))), &got))
		require.Len(t, got, count)
		for k, a := range got {
			require.Equal(t, want[k].Words, a.Translation.Words, "%s: %s", r.Label(), texts[k])
			require.Equal(t, want[k].LogProb, a.Translation.LogProb, "%s: %s", r.Label(), texts[k]) // JSON keeps every bit of a number
			for j, s := range m.Steps(&want[k]) {
				require.Equal(t, s.Next[0].Word, a.Translation.Steps[j].Next[0].Word, "%s: %s", r.Label(), texts[k])
				require.InDelta(t, s.Next[0].Probability, a.Translation.Steps[j].Next[0].Probability, 1e-12, "%s: %s", r.Label(), texts[k])
			}
			if align, err := want[k].Align(infer.Selection{}); err == nil {
				require.Equal(t, align.Weights, a.Translation.Alignment.Weights, "%s: %s", r.Label(), texts[k])
			}
		}
		require.NoError(t, m.Close())
	}
}

func bits(list []float32) []uint32 {
	out := make([]uint32, len(list))
	for i, x := range list {
		out[i] = math.Float32bits(x)
	}
	return out
}
