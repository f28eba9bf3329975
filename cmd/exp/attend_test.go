package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/attend"
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
