package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp"
	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/token"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
)

// The weights of a review add up to one, also where it has no words and the model reads an empty one.
func TestAttendSplitOfEmptyReviews(t *testing.T) {
	dir, flags := folders(t)
	file := filepath.Join(dir, "mine.csv")
	require.NoError(t, os.WriteFile(file, []byte("text,label\n,neg\na good film,pos\nbad one,neg\nfine <br />,pos\n<br />,neg\ngreat film,pos\n\u200b,neg\nsuperb,pos\n"), 0o666))
	ok(t, append([]string{"data", "add", file, "--name", "mine"}, flags...)...)
	ok(t, append([]string{"run", "tme10-cls", "data=mine", "epochs=1", "vectors=random"}, flags...)...)
	empty := 0
	both := ok(t, append([]string{"attend", "@last", "--split", "train"}, flags...)...) + ok(t, append([]string{"attend", "@last", "--split", "test"}, flags...)...)
	for text := range strings.Lines(both) {
		var l attend.Line
		require.NoError(t, json.Unmarshal([]byte(text), &l))
		sum := l.CLS
		for _, w := range l.Weights {
			sum += w
		}
		require.InDelta(t, 1, sum, 1e-5, text)
		require.Len(t, l.Weights, len(l.Words))
		if l.Words[0] == "" {
			empty++
		}
	}
	require.NotZero(t, empty)
}

// Whatever is painted, the text itself stays as it was, and nothing of it reaches
// the terminal as a command.
func TestPiecesKeepTheText(t *testing.T) {
	tokenizers := []token.Tokenizer{token.PTB, token.Whitespace}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-z½]{1,5}(<br />|[ .,\x1b\x00]|n't))*`)).Draw(t, "text")
		tok := rapid.SampledFrom(tokenizers).Draw(t, "tokenizer")
		v := &infer.View{}
		for i, w := range token.Tokens(tok, text) {
			if i%3 == 2 {
				v.Left = append(v.Left, infer.LeftWord{Token: w, Masked: i%2 == 0})
				continue
			}
			v.Words, v.Known, v.Ratio = append(v.Words, w), append(v.Known, i%5 > 0), append(v.Ratio, float64(i))
		}
		spans := modelview.Spans(v)
		at := 0
		for _, s := range spans {
			require.LessOrEqual(t, at, s.From)
			require.Less(t, s.From, s.To)
			at = s.To
		}
		v.Ratio = nil
		for i := range v.Known {
			v.Known[i] = true
		}
		for i := range v.Left {
			v.Left[i].Masked = false
		}
		shown := modelview.Shaded(term.New(nil, nil, 80, false), text, v)
		require.Equal(t, strings.Fields(modelview.Unbroken(term.Visible(text))), shown)
		require.NotContains(t, strings.Join(shown, " "), "\x1b")
	})
}

func TestMarksAddUp(t *testing.T) {
	words := []token.Token{{Word: "1", Start: 0, End: 2}, {Word: "⁄2", Start: 0, End: 2}, {Word: "x", Start: 3, End: 4}}
	v := &infer.View{Encoded: infer.Encoded{Words: words, Known: []bool{true, false, true}}, Ratio: []float64{1, 2, 4}}
	require.Equal(t, []modelview.Span{{From: 0, To: 2, Ratio: 3, Unknown: true}, {From: 3, To: 4, Ratio: 4}}, modelview.Spans(v), "one character, two words")
}

// Package imdbexp makes the run that exp run makes, and answers what exp predict and exp attend print.
func TestLibraryAgrees(t *testing.T) {
	dir, flags := folders(t)
	settings := []string{"data=sample", "data.limit=20", "epochs=1", "vectors=random"}
	run := must.Get(imdbexp.Train(t.Context(), imdbexp.Options{Runs: dir, Workers: 2}, "tme10-cls", settings...))(t)
	require.Contains(t, ok(t, append(append([]string{"run", "tme10-cls"}, settings...), flags...)...), "finished before")
	m := must.Get(imdbexp.Open(run.Path, 2))(t)
	defer m.Close()
	var texts []string
	for line := range strings.Lines(ok(t, append([]string{"attend", "@last", "--split", "test"}, flags...)...)) {
		var want attend.Line
		require.NoError(t, json.Unmarshal([]byte(line), &want))
		texts = append(texts, strings.Join(want.Words, " "))
		got := must.Get(m.Attend(texts[len(texts)-1], imdbexp.Selection{}))(t)
		require.Equal(t, want.CLS, got.CLS)
		for i, w := range got.Words {
			require.Equal(t, want.Weights[i], w.Weight)
			require.Equal(t, want.Words[i], w.Text)
		}
	}
	require.Len(t, texts, 40)
	file := filepath.Join(dir, "texts.txt")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(texts, "\n")), 0o600))
	exact := func(p float32) string { return strconv.FormatFloat(float64(p), 'g', -1, 32) }
	answers := must.Get(m.Predict(t.Context(), texts...))(t)
	for line := range strings.Lines(ok(t, append([]string{"predict", "@last", file}, flags...)...)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) == 1 || fields[0] == "review" { // the summary, the header
			continue
		}
		p := answers[0].P
		require.Equal(t, []string{exact(p[0]), exact(p[1])}, fields[len(fields)-2:])
		answers = answers[1:]
	}
	require.Empty(t, answers)
}
