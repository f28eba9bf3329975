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
	"imdbexp/internal/testkit/must"
)

// Both formats have the same content.
func TestAttendSplit(t *testing.T) {
	_, flags := folders(t)
	ok(t, append([]string{"run", "tme9-simple", "data.limit=5", "epochs=1", "vectors=random"}, flags...)...)
	split := append([]string{"attend", "@last", "--split", "test"}, flags...)
	out, file := ok(t, split...), filepath.Join(t.TempDir(), "w.npz")
	ok(t, append(split, "--format", "npz", "--out", file)...)

	b := must.Get(os.ReadFile(file))(t)
	z := must.Get(npz.NewReader(bytes.NewReader(b), int64(len(b))))(t)
	var weights, entropies []float32
	var words, labels []int32
	var offsets []int64
	var vocabulary, ids, classes []byte
	for name, to := range map[string]any{"weights": &weights, "entropies": &entropies, "word_ids": &words, "labels": &labels, "offsets": &offsets, "vocabulary": &vocabulary, "ids": &ids, "classes": &classes} {
		require.NoError(t, z.Read(name+".npy", to), name)
	}
	require.Equal(t, "neg\npos", string(classes))
	vocab, names := strings.Split(string(vocabulary), "\n"), strings.Split(string(ids), "\n")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 10)
	require.Len(t, offsets, 11)
	for i, text := range lines {
		var l attend.Line
		require.NoError(t, json.Unmarshal([]byte(text), &l))
		lo, hi := offsets[i], offsets[i+1]
		require.Equal(t, l.ID, names[i])
		require.Equal(t, l.Weights, weights[lo:hi])
		require.Equal(t, *l.Entropy, entropies[i])
		require.Equal(t, *l.Label, []string{"neg", "pos"}[labels[i]])
		for k, w := range l.Words {
			require.Equal(t, w, vocab[words[lo+int64(k)]])
		}
	}
}

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
