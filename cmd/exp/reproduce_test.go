package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"imdbexp/runs"
)

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
