package infer_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// trainPairs makes a small run that translates.
func trainPairs(t *testing.T, name string, assignments ...string) (*runs.Run, *translator.Model) {
	t.Helper()
	run, pool := trainWith(t, name, append([]string{"epochs=1", "data.limit=24", "lr=0.01"}, assignments...))
	m := must.Get(translator.New(must.Get(infer.Read(run))(t), pool))(t)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return run, m
}

// The run's folder alone gives the translations that the run has stored, whichever texts are
// translated together.
func TestTranslateAgreesWithTheRun(t *testing.T) {
	for name, settings := range map[string]string{
		"seq2seq-plain": "select=best", "seq2seq-bahdanau": "beam=2 beam.alpha=0.6", "seq2seq-luong": "score=concat", "seq2seq-transformer": "tied=true",
	} {
		t.Run(name, func(t *testing.T) {
			run, m := trainPairs(t, name, strings.Fields(settings)...)
			kept := must.Get(run.Translations())(t)
			var texts []string
			for _, x := range kept {
				texts = append(texts, x.Source)
			}
			greedy := must.Get(m.Translate(t.Context(), inputs(texts...), translator.Search{Beam: 1}))(t)
			beam := must.Get(m.Translate(t.Context(), inputs(texts[:5]...), translator.Search{}))(t)
			for i, x := range kept {
				require.Equal(t, x.Greedy, strings.Join(greedy[i].Words, " "))
				require.Equal(t, x.GreedyScore, greedy[i].LogProb)
				if i < len(beam) {
					require.Equal(t, x.Beam, strings.Join(beam[i].Words, " "))
					require.Equal(t, x.BeamScore, beam[i].LogProb)
				}
			}
		})
	}
}

func TestTranslateWords(t *testing.T) {
	_, m := trainPairs(t, "seq2seq-luong")
	list := must.Get(m.Translate(t.Context(), inputs("", "the zebra", " \t "), translator.Search{Beam: 1}))(t)
	require.Empty(t, list[0].Words)
	require.Zero(t, list[2].LogProb)
	require.Equal(t, []bool{true, false}, list[1].Known)
	require.Equal(t, []string{"zebra"}, list[1].Unknown())
	require.Equal(t, 4, list[1].Source[1].Start)

	require.ErrorContains(t, must.Fail(m.Translate(t.Context(), inputs("a", strings.Repeat("the ", 1001)), translator.Search{Beam: 1})), "the text: 1001 words")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, must.Fail(m.Translate(ctx, inputs("the"), translator.Search{Beam: 1})), context.Canceled)
}

// Each row of an alignment adds up to one; the mean over heads is their mean.
func TestAlign(t *testing.T) {
	of := func(name string, settings ...string) *translator.Sentence {
		_, m := trainPairs(t, name, settings...)
		return &must.Get(m.Translate(t.Context(), inputs("the red carpet"), translator.Search{Align: true}))(t)[0]
	}
	s := of("seq2seq-transformer", "layers=2", "heads=2", "width=8", "ffn.width=8")
	require.Equal(t, []int{2, 2}, s.Heads())
	mean := must.Get(s.Align(infer.Selection{}))(t)
	require.Equal(t, "mean over the 2 heads of layer 2 of 2", mean.Of)
	require.Equal(t, []string{"the", "red", "carpet"}, mean.Columns)
	require.Equal(t, append(slices.Clone(s.Words), "(end)"), mean.Rows)
	one := must.Get(s.Align(infer.Selection{Layer: 2, Head: 1}))(t)
	two := must.Get(s.Align(infer.Selection{Layer: 2, Head: 2}))(t)
	require.Equal(t, "head 2 of 2 of layer 2 of 2", two.Of)
	for i, row := range mean.Weights {
		for j, w := range row {
			require.InDelta(t, (one.Weights[i][j]+two.Weights[i][j])/2, w, 1e-12)
		}
		require.InDelta(t, 1, total(row), 1e-5)
	}
	for _, at := range [][2]int{{3, 0}, {-1, 0}, {1, 3}, {1, -1}} {
		require.ErrorAs(t, must.Fail(s.Align(infer.Selection{Layer: at[0], Head: at[1]})), new(*infer.SelectionError))
	}
	require.Equal(t, "attention to the source", must.Get(of("seq2seq-bahdanau").Align(infer.Selection{}))(t).Of)
	require.ErrorContains(t, must.Fail(of("seq2seq-plain").Align(infer.Selection{})), "has no attention")
}

// The words that a step chose from have the probabilities by which the translation was found.
func TestTranslationSteps(t *testing.T) {
	_, m := trainPairs(t, "seq2seq-luong", "beam=2")
	list := must.Get(m.Translate(t.Context(), inputs("the young doctor"), translator.Search{Align: true}))(t)
	steps := m.Steps(&list[0])
	require.Len(t, steps, len(list[0].Words)+1)
	sum := 0.0
	for i, word := range append(slices.Clone(list[0].Words), "(end)") {
		s, all := steps[i], steps[i].Others
		for rank, w := range s.Next {
			all += w.Probability
			require.LessOrEqual(t, w.Probability, s.Next[max(rank-1, 0)].Probability)
			require.Equal(t, w.Word == word, w.Written)
			if w.Written {
				sum += math.Log(w.Probability)
			}
		}
		require.InDelta(t, 1, all, 1e-5)
		require.GreaterOrEqual(t, len(s.Next), 5)
		require.Greater(t, s.OtherWords, 10)
	}
	require.InDelta(t, list[0].LogProb, sum, 1e-9)
}

func inputs(texts ...string) (out []infer.Input) {
	for _, text := range texts {
		out = append(out, infer.Input{Text: text})
	}
	return out
}

func total(row []float64) (sum float64) {
	for _, w := range row {
		sum += w
	}
	return sum
}

// A stream returns what Translate returns, in order. Its error names a sentence that is too long.
func TestTranslateStream(t *testing.T) {
	_, m := trainPairs(t, "seq2seq-luong")
	var texts, got []string
	for i := range 600 { // more than are translated at once
		texts = append(texts, strings.Repeat("the young doctor ", 1+i%3))
	}
	stream := func() error {
		return m.Stream(t.Context(), translator.Search{Beam: 1}, func(_ context.Context, yield func(infer.Input) error) error {
			for i, x := range texts {
				if err := yield(infer.Input{Text: x, Where: fmt.Sprintf("file:%d", i+1)}); err != nil {
					return err
				}
			}
			return nil
		}, func(_ []infer.Input, out []translator.Sentence) error {
			for _, s := range out {
				got = append(got, strings.Join(s.Words, " "))
			}
			return nil
		})
	}
	require.NoError(t, stream())
	want := must.Get(m.Translate(t.Context(), inputs(texts...), translator.Search{Beam: 1}))(t)
	require.Len(t, got, len(texts))
	for i, s := range want {
		require.Equal(t, strings.Join(s.Words, " "), got[i])
	}
	texts = []string{"the", strings.Repeat("the ", 2000)}
	require.ErrorContains(t, stream(), "file:2: 2000 words")
}

// A function for reviews refuses a translation run. The error for a copy without its words says what
// is missing.
func TestTranslationRunsAreTold(t *testing.T) {
	run, _ := trainPairs(t, "seq2seq-plain")
	require.ErrorContains(t, must.Fail(infer.ReadRun(run)), "translates sentences")
	pool := ops.NewPool(1)
	defer pool.Close()
	store := filepath.Join(filepath.Dir(filepath.Dir(run.Path)), ".store")
	require.NoError(t, os.WriteFile(filepath.Join(store, run.Config.Table+".safetensors.zst"), nil, 0o666))
	require.ErrorContains(t, must.Fail(infer.Read(run)), fmt.Sprintf("config.yaml\" --runs %q --force", filepath.Dir(store)))
	require.NoError(t, os.RemoveAll(store))
	require.ErrorContains(t, must.Fail(infer.Read(run)), "copy it too")
	reviews, _ := train(t, "tme9-mean")
	require.ErrorContains(t, must.Fail(translator.New(must.Get(infer.Read(reviews))(t), pool)), "does not translate")
}
