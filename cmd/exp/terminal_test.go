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

	"imdbexp/internal/term"
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

func TestTerminalWidths(t *testing.T) {
	_, flags := folders(t)
	for i, width := range []int{60, 80, 140} {
		var out output
		require.Equal(t, exitOK, call(t.Context(), &out, width, true, tiny(flags, "epochs=2", "select=best", "lr=0.1", "--force")...), out.String())
		text := escape.ReplaceAllString(out.String(), "")
		for line := range strings.SplitSeq(text, "\n") {
			line = line[strings.LastIndex(line, "\r")+1:]
			if strings.Contains(line, flags[1]) {
				continue // the temporary folder's name is longer than any terminal
			}
			require.LessOrEqual(t, term.Width(line), width, "%q", line)
		}
		require.Contains(t, text, "1/2")
		require.Equal(t, []bool{false, true, true}[i], strings.Contains(text, "words/s"), "the table loses columns where it must")
		require.Contains(t, out.String(), "\x1b["+string(term.Marked)+"m", "attended words are painted")
		require.NotRegexp(t, `\[\w+\]`, text, "and need no brackets")
	}
}

func TestNoColorOnTerminal(t *testing.T) {
	_, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 80, false, tiny(flags, "epochs=2", "lr=0.1")...))
	require.NotContains(t, out.String(), "\x1b["+string(term.Marked))
	require.NotContains(t, out.String(), "\x1b["+string(term.Dim)+"m")
	require.Regexp(t, `\[\w+\]`, out.String())
}

func TestInterruptedRunGoesOn(t *testing.T) {
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

	out = output{}
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=3")...))
	require.Contains(t, out.String(), "continues after epoch 1")
	resumed := readAll(t, dir, "metrics.jsonl", "predictions.tsv")

	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=3", "--force")...))
	require.Equal(t, readAll(t, dir, "metrics.jsonl", "predictions.tsv"), resumed, "the same bytes as an uninterrupted run")
}

func TestInterruptedBeforeTheFirstStep(t *testing.T) {
	_, flags := folders(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out output
	require.Equal(t, exitInterrupted, call(ctx, &out, 0, false, tiny(flags)...))
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

func TestConfigFileRepeatsItsRun(t *testing.T) {
	dir, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=1", "optimizer=sgd")...))
	configs, err := filepath.Glob(filepath.Join(dir, "*", "*", "config.yaml"))
	require.NoError(t, err)
	require.Len(t, configs, 1)

	out = output{}
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append(flags, "run", configs[0])...), out.String())
	require.Contains(t, out.String(), "data: sample (by config.yaml)")
	require.Contains(t, out.String(), "finished before: "+filepath.Dir(configs[0]))
}

func TestGridOnTerminal(t *testing.T) {
	_, flags := folders(t)
	for _, width := range []int{60, 100} {
		var out output
		args := append([]string{"run", "tme9-simple", "seed=1..3", "epochs=2", "select=best", "data.limit=60", "vectors=random", "--jobs", "2", "--force"}, flags...)
		require.Equal(t, exitOK, call(t.Context(), &out, width, true, args...), out.String())
		text := escape.ReplaceAllString(out.String(), "")
		for line := range strings.SplitSeq(text, "\n") {
			line = line[strings.LastIndex(line, "\r")+1:]
			if !strings.Contains(line, flags[1]) { // its name is longer than any terminal
				require.LessOrEqual(t, term.Width(line), width, "%q", line)
			}
		}
		require.Contains(t, text, "3 runs, ")
		require.Equal(t, 3, strings.Count(text, ": valid "))
	}
}
