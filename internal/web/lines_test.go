package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/web"
)

func line(epoch int) string { return fmt.Sprintf(`{"epoch":%d,"test_acc":50}`, epoch) + "\n" }

// Only what the checkpoint covers counts, however the file goes on.
func TestLinesUpToTheCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o666)) }
	f := web.Follow()
	read := func(last int) []int {
		t.Helper()
		values, err := f.Read(dir, last)
		require.NoError(t, err)
		epochs := []int{}
		for _, m := range values {
			epochs = append(epochs, m.Epoch)
		}
		return epochs
	}
	assert.Empty(t, read(0), "no file yet")
	write(line(1) + line(2) + `{"epoch":3`)
	assert.Empty(t, read(0), "no epoch committed")
	assert.Equal(t, []int{1}, read(1))
	assert.EqualValues(t, len(line(1)), f.Offset())
	assert.Equal(t, []int{1, 2}, read(2))
	assert.Equal(t, []int{1, 2}, read(3), "a line without its end is being written")
	write(line(1) + line(2) + line(3))
	assert.Equal(t, []int{1, 2, 3}, read(3))
	write(line(1))
	assert.Equal(t, []int{1}, read(1), "trained anew")
	require.NoError(t, os.Remove(path))
	assert.Empty(t, read(0))
	write(line(1) + "no JSON\n" + line(3))
	values, err := f.Read(dir, 3)
	assert.ErrorContains(t, err, "metrics.jsonl, line 2")
	assert.Len(t, values, 1, "what stands before it is good")
}

// Following a file that grows gives what reading it once gives.
func TestLinesFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(shared, "lines")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "metrics.jsonl")
		all := ""
		for e := range 6 {
			all += line(e + 1)
		}
		f, at, last := web.Follow(), 0, 0
		for range rapid.IntRange(1, 8).Draw(t, "looks") {
			at = rapid.IntRange(at, len(all)).Draw(t, "length")
			last = rapid.IntRange(last, strings.Count(all[:at], "\n")).Draw(t, "committed")
			file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
			require.NoError(t, err)
			_, err = file.WriteString(all[:at])
			require.NoError(t, err)
			require.NoError(t, file.Close())
			got, err := f.Read(dir, last)
			require.NoError(t, err)
			want, err := web.Follow().Read(dir, last)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Len(t, got, last)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(line(1)+line(2)), 1, 2)
	f.Add([]byte("{}\n\n\x00"), 0, 1)
	f.Add([]byte(`{"epoch":-1}`+"\n"+line(7)), 3, 9)
	f.Fuzz(func(t *testing.T, content []byte, first, second int) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "metrics.jsonl"), content, 0o666))
		l := web.Follow()
		for _, last := range []int{first, second} {
			values, _ := l.Read(dir, last)
			for _, v := range values {
				require.LessOrEqual(t, v.Epoch, last)
			}
			require.LessOrEqual(t, l.Offset(), int64(len(content)))
		}
	})
}
