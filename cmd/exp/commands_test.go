package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// If predictions are missing or damaged, a message shows the command that writes them again: without
// training if the model can, else by training again.
func TestPredictionsAnew(t *testing.T) {
	dir, flags := folders(t)
	one, pairs := tiny(flags, "epochs=1"), append([]string{"run", "seq2seq-bahdanau", "data.limit=40", "epochs=1"}, flags...)
	for _, args := range [][]string{one, pairs} {
		ok(t, args...)
		run := must.Get(runs.Find(dir, "@last"))(t)
		file := filepath.Join(run.Path, run.Config.Task().Answers)
		whole := must.Get(os.ReadFile(file))(t)
		for _, ask := range [][]string{{"compare", "@last", "@last"}, args} {
			out := ""
			if ask[0] == "compare" {
				require.NoError(t, os.WriteFile(file, []byte("noise"), 0o666))
				out = on(t, 0, false, exitFailed, append(ask, flags...)...)
			} else {
				require.NoError(t, os.Remove(file))
				out = ok(t, ask...)
			}
			_, do, found := strings.Cut(out, map[bool]string{true: "write them again from its weights: ", false: "train it again, with the same result: "}[args[1] == one[1]])
			require.True(t, found, out)
			do, _, _ = strings.Cut(do, "\n")
			typed(t, do)
			again := must.Get(os.ReadFile(file))(t)
			require.Equal(t, string(whole), string(again))
		}
	}
}

// cited sets $CITATION to how the last run is cited.
func cited(ts *testscript.TestScript, _ bool, _ []string) {
	c, err := last(ts).Citation()
	ts.Check(err)
	ts.Setenv("CITATION", c.String())
}

// forge changes the first number of the last run's metrics.
func forge(ts *testscript.TestScript, _ bool, _ []string) {
	path := filepath.Join(last(ts).Path, "metrics.jsonl")
	b, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, bytes.Replace(b, []byte(`"train_loss":0`), []byte(`"train_loss":9`), 1), 0o666))
}

// breakRun leaves nothing but noise of a file of the last run: break
// last.safetensors; with ! not even the file.
func breakRun(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] break FILE")
	}
	path := filepath.Join(last(ts).Path, args[0])
	if neg {
		ts.Check(os.Remove(path))
		return
	}
	ts.Check(os.WriteFile(path, []byte("noise"), 0o666))
}

func last(ts *testscript.TestScript) *runs.Run {
	r, err := runs.Find(ts.MkAbs("runs"), "@last")
	ts.Check(err)
	return r
}

// What an interrupted exp explain has kept is said where it keeps something.
func TestInterruptedExplain(t *testing.T) {
	_, flags := folders(t)
	ok(t, append([]string{"run", "tme9-simple", "epochs=1", "data.limit=30", "vectors=random"}, flags...)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for into, want := range map[string]string{
		"":                                    "exp: interrupted\n",
		filepath.Join(t.TempDir(), "results"): "results, and the same command continues\n",
	} {
		args := append([]string{"explain", "@last"}, flags...)
		if into != "" {
			args = append(args, "--out", into)
		}
		var out output
		require.Equal(t, exitInterrupted, call(ctx, &out, 0, false, args...), out.String())
		require.Contains(t, out.String(), want)
	}
}

// The page is there from the moment that its address is printed until Ctrl-C, which
// is its ordinary end.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := new(output)
	code := make(chan int, 1)
	go func() {
		code <- call(ctx, out, 80, false, "serve", "--addr", "127.0.0.1:0", "--runs", filepath.Join(t.TempDir(), "runs"))
	}()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	require.Eventually(t, func() bool { return address.MatchString(out.String()) }, 10*time.Second, 5*time.Millisecond)
	answer := must.Get(http.Get(address.FindString(out.String())))(t)
	page := must.Get(io.ReadAll(answer.Body))(t)
	require.NoError(t, answer.Body.Close())
	assert.Contains(t, string(page), "There are no runs in this folder yet")
	stop()
	select {
	case got := <-code:
		assert.Equal(t, exitOK, got, out.String())
	case <-time.After(10 * time.Second):
		assert.Fail(t, "it does not end")
	}
}
