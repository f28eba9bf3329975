package infer_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/internal/onnx"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// translatorCases are translators that have a graph, with the settings that change it.
var translatorCases = []struct{ name, settings string }{
	{"seq2seq-plain", ""},
	{"seq2seq-plain", "layers=2 reverse=false"},
	{"seq2seq-luong", ""},
	{"seq2seq-luong", "score=general scale=sqrt_k cell=gru layers=2"},
	{"seq2seq-luong", "score=dot tied=true embedding=8"},
	{"seq2seq-transformer", ""},
	{"seq2seq-transformer", "norm.place=after heads=2 layers=1 tied=true"},
}

const tinyTranslator = "hidden=8 embedding=8 "

// pairsOf are translated sentences as the inputs of a graph, padded.
func pairsOf(t *testing.T, graph *onnx.Model, sentences []translator.Sentence) (source, target [][]int32) {
	t.Helper()
	id := func(side, word string) int32 {
		var list []string
		require.NoError(t, json.Unmarshal([]byte(fact(graph, side+"_vocabulary")), &list))
		i := slices.Index(list, word)
		require.GreaterOrEqual(t, i, 0, word)
		return int32(i)
	}
	longest, rows := 0, 0
	for _, s := range sentences {
		longest, rows = max(longest, len(s.Source)), max(rows, len(s.Words)+1)
	}
	for _, s := range sentences {
		var x []int32
		for i, w := range s.Source {
			x = append(x, id("source", w.Word))
			require.True(t, s.Known[i])
		}
		y := []int32{ragged.BeginID}
		for _, w := range s.Words {
			y = append(y, id("target", w))
		}
		source = append(source, append(x, slices.Repeat([]int32{infer.PadID}, longest-len(x))...))
		target = append(target, append(y, slices.Repeat([]int32{infer.PadID}, rows-len(y))...))
	}
	return source, target
}

// The probabilities of the words of a translation multiply to its own, and the alignment is that of
// the search (with onnxruntime, see TestONNX).
func TestTranslatorONNX(t *testing.T) {
	for _, c := range translatorCases {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			run, m := trainPairs(t, c.name, strings.Fields(tinyFor(c.name)+c.settings)...)
			graph := must.Get(m.ONNX())(t)
			sentences := translated(t, run, m)
			source, target := pairsOf(t, graph, sentences)
			for _, out := range runRuntime(t, graph, []map[string][][]int32{{"source": source, "target": target}}) {
				compareTranslations(t, sentences, target, out)
			}
			require.Equal(t, "1", fact(graph, "begin_id"))
			require.Equal(t, "2", fact(graph, "end_id"))
		})
	}
	_, m := trainPairs(t, "seq2seq-bahdanau", "hidden=8", "embedding=8")
	_, err := m.ONNX()
	require.ErrorContains(t, err, "ONNX has no operator for that; exp predict translates")
}

func tinyFor(name string) string {
	if name == "seq2seq-transformer" {
		return "width=8 ffn.width=8 heads=2 "
	}
	return tinyTranslator
}

// translated are some test sentences with their greedy translations.
func translated(t *testing.T, run *runs.Run, m *translator.Model) []translator.Sentence {
	t.Helper()
	kept := must.Get(run.Translations())(t)
	var texts []string
	for _, x := range kept {
		texts = append(texts, x.Source)
	}
	list := must.Get(m.Translate(t.Context(), texts, translator.Search{Beam: 1, Align: true}))(t)
	list = slices.DeleteFunc(list, func(s translator.Sentence) bool { return slices.Contains(s.Known, false) })
	require.NotEmpty(t, list)
	return list
}

func compareTranslations(t *testing.T, sentences []translator.Sentence, target [][]int32, out map[string]array) {
	t.Helper()
	log, align := out["log_probabilities"], out["alignment"]
	rows, words := log.Dims[1], log.Dims[2]
	for i, s := range sentences {
		sum := 0.0
		for r := range len(s.Words) + 1 {
			next := ragged.EndID
			if r < len(s.Words) {
				next = target[i][r+1]
			}
			sum += log.Data[(i*rows+r)*words+int(next)]
		}
		require.InDelta(t, s.LogProb, sum, 1e-4*max(1, -sum))
		require.Equal(t, s.Alignment != nil, align.Data != nil)
		if s.Alignment == nil {
			continue
		}
		heads, n := s.Alignment[len(s.Alignment)-1], align.Dims[2]
		for r := range len(s.Words) + 1 {
			for j := range s.Source {
				mean := 0.0
				for _, h := range heads {
					mean += float64(h.Row(r)[j]) / float64(len(heads))
				}
				require.InDelta(t, mean, align.Data[(i*rows+r)*n+j], 1e-5)
			}
		}
	}
}

func fact(m *onnx.Model, key string) string {
	for _, e := range m.Metadata {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}
