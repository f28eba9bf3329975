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

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/internal/term"
)

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
		var l attend.Line
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
