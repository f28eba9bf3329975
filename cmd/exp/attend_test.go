package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npz"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/token"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// Whatever is painted, the text itself stays as it was, and nothing of it reaches
// the terminal as a command.
func TestPiecesKeepTheText(t *testing.T) {
	tokenizers := []token.Tokenizer{token.PTB{}, token.Whitespace{}}
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
		spans := spansOf(v)
		at := 0
		for _, s := range spans {
			require.LessOrEqual(t, at, s.from)
			require.Less(t, s.from, s.to)
			at = s.to
		}
		shown := pieces(text, spans, func(_ span, shown string) string { return shown })
		require.Equal(t, strings.Fields(htmlBreak.Replace(printable(text))), shown)
		require.NotContains(t, strings.Join(shown, " "), "\x1b")
	})
}

func TestMarksAddUp(t *testing.T) {
	v := &infer.View{Prediction: infer.Prediction{
		Words: []token.Token{{Word: "1", Start: 0, End: 2}, {Word: "⁄2", Start: 0, End: 2}, {Word: "x", Start: 3, End: 4}},
		Known: []bool{true, false, true},
	}, Ratio: []float64{1, 2, 4}}
	require.Equal(t, []span{{from: 0, to: 2, ratio: 3, unknown: true}, {from: 3, to: 4, ratio: 4}}, spansOf(v), "one character, two words")
}

func TestExtremes(t *testing.T) {
	row := func(id string, label, predicted int, p ...float32) runs.Prediction {
		return runs.Prediction{Review: id, Label: label, Predicted: predicted, P: p}
	}
	rows := []runs.Prediction{
		row("right", 0, 0, 0.9, 0.1), row("sure", 1, 1, 1e-9, 1), row("surer", 1, 1, 1e-12, 1), row("wrong", 0, 1, 0.2, 0.8),
		row("unlabelled", -1, 0, 1, 0), row("sure and wrong", 1, 0, 0.99, 0.01),
	}
	names := func(n int, score func(runs.Prediction) (float64, bool)) (out []string) {
		for _, r := range extremes(rows, n, score) {
			out = append(out, r.Review)
		}
		return out
	}
	right := func(r runs.Prediction) (float64, bool) { return -doubt(r), r.Predicted == r.Label }
	require.Equal(t, []string{"surer", "sure", "right"}, names(9, right), "1 − 1e-9 and 1 − 1e-12 are the same float32")
	require.Equal(t, []string{"surer"}, names(1, right))
	require.Equal(t, []string{"sure and wrong", "wrong"}, names(2, func(r runs.Prediction) (float64, bool) { return -float64(r.P[r.Label]), true }))
	require.Empty(t, names(0, right))
}

func TestShares(t *testing.T) {
	for p, want := range map[float32]string{1: "100 %", 0.99951: "100 %", 0.1234: "12.3 %", 0.09994: "9.99 %", 0.0001: "0.01 %", 0.00001: "<0.01 %", 0: "0.00 %"} {
		require.Equal(t, want, shareOf(p))
	}
	require.Equal(t, "0.0000", digits(-1e-9))
	require.Equal(t, "v₁₀", "v"+subscript(10))
}

// No line is longer than the terminal is wide, in any of the views.
func TestAttendWidths(t *testing.T) {
	_, flags := folders(t)
	t.Setenv("COLORTERM", "truecolor")
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append([]string{"run", "tme10-cls", "layers=1", "data.limit=20", "epochs=1", "vectors=random"}, flags...)...), out.String())
	for _, width := range []int{60, 80, 140} {
		for _, words := range [][]string{nil, {"--words"}, {"--steps", "not a great film"}, {"--head", "1", "a \x1b[31mgreat\a film xyzzy"}} {
			var out output
			require.Equal(t, exitOK, call(t.Context(), &out, width, true, append(append([]string{"attend", "@last"}, words...), flags...)...), out.String())
			require.NotContains(t, out.String(), "\x1b[31m")
			require.NotContains(t, out.String(), "\a")
			for line := range strings.SplitSeq(escape.ReplaceAllString(out.String(), ""), "\n") {
				line = line[strings.LastIndex(line, "\r")+1:]
				require.LessOrEqual(t, term.Width(line), width, "%v: %q", words, line)
			}
			require.Equal(t, words == nil || words[0] == "--head", strings.Contains(out.String(), "\x1b[38;2;0;0;0;48;2;"), "shades")
		}
	}
}

// Both formats say the same, and as much as the run has reviews.
func TestAttendSplit(t *testing.T) {
	_, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append([]string{"run", "tme9-simple", "data.limit=5", "epochs=1", "vectors=random"}, flags...)...), out.String())
	out = output{}
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append([]string{"attend", "@last", "--split", "test"}, flags...)...), out.String())
	file := filepath.Join(t.TempDir(), "w.npz")
	var said output
	require.Equal(t, exitOK, call(t.Context(), &said, 0, false, append([]string{"attend", "@last", "--split", "test", "--format", "npz", "--out", file}, flags...)...), said.String())

	b, err := os.ReadFile(file)
	require.NoError(t, err)
	z, err := npz.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	var weights, entropies []float32
	var words, labels []int32
	var offsets []int64
	var vocabulary, ids, classes []byte
	for name, to := range map[string]any{"weights": &weights, "entropies": &entropies, "word_ids": &words, "labels": &labels, "offsets": &offsets, "vocabulary": &vocabulary, "ids": &ids, "classes": &classes} {
		require.NoError(t, z.Read(name+".npy", to), name)
	}
	require.Equal(t, "neg\npos", string(classes))
	vocab, names := strings.Split(string(vocabulary), "\n"), strings.Split(string(ids), "\n")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 10)
	require.Len(t, offsets, 11)
	for i, text := range lines {
		var l attendLine
		require.NoError(t, json.Unmarshal([]byte(text), &l))
		lo, hi := offsets[i], offsets[i+1]
		require.Equal(t, l.ID, names[i])
		require.Equal(t, l.Weights, weights[lo:hi])
		require.Equal(t, l.Entropy, entropies[i])
		require.Equal(t, *l.Label, []string{"neg", "pos"}[labels[i]])
		for k, w := range l.Words {
			require.Equal(t, w, vocab[words[lo+int64(k)]])
		}
	}
}

// What would turn the order of letters around it is replaced; the words of scripts
// written from right to left stay.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a\tgreat film": "a\tgreat film", "\x1b[31mred\x00": "\uFFFD[31mred\uFFFD", "\u202egnp.exe\u202c": "\uFFFDgnp.exe\uFFFD",
		"\u2067x\u2069": "\uFFFDx\uFFFD", "\u200fשלום!": "\u200fשלום!", "שלום": "שלום", "🤷‍♀️": "🤷‍♀️",
	} {
		require.Equal(t, want, printable(text))
	}
}
