package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// output keeps what is written and may act on it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	see  func(text string)
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.see != nil {
		o.see(string(p))
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// folders are a runs folder and the flags that keep to it.
func folders(t *testing.T) (dir string, flags []string) {
	t.Helper()
	t.Setenv("EXP_DATA", t.TempDir())
	dir = t.TempDir()
	return dir, []string{"--runs", dir}
}

func tiny(flags []string, more ...string) []string {
	return append(append([]string{"run", "tme9-lstm", "data.limit=60", "vectors=random"}, flags...), more...)
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// An interrupted run continues and ends with the bytes of an uninterrupted one.
func TestInterruptedRunContinues(t *testing.T) {
	dir, flags := folders(t)
	ctx, cancel := context.WithCancel(t.Context())
	out := output{see: func(text string) {
		if strings.Contains(text, "epoch 1/3") {
			cancel()
		}
	}}
	require.Equal(t, exitInterrupted, call(ctx, &out, 0, false, tiny(flags, "epochs=3")...))
	require.Contains(t, out.String(), "exp: stopped after epoch 1 of 3")
	require.Contains(t, out.String(), "Continue: exp run tme9-lstm")
	require.NotContains(t, out.String(), "epoch 2/3")

	require.Contains(t, ok(t, tiny(flags, "epochs=3")...), "continues after epoch 1")
	resumed := readAll(t, dir, "metrics.jsonl", "predictions.tsv")

	ok(t, tiny(flags, "epochs=3", "--force")...)
	require.Equal(t, readAll(t, dir, "metrics.jsonl", "predictions.tsv"), resumed, "the same bytes as an uninterrupted run")
}

func readAll(t *testing.T, dir string, names ...string) string {
	t.Helper()
	var text string
	for _, name := range names {
		paths, err := filepath.Glob(filepath.Join(dir, "*", "*", name))
		require.NoError(t, err)
		require.Len(t, paths, 1)
		b, err := os.ReadFile(paths[0])
		require.NoError(t, err)
		text += string(b)
	}
	return text
}
