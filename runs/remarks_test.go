package runs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// Remarks are written whole or not at all. Nothing that is written at the same time is lost.
func TestRemarks(t *testing.T) {
	dir := t.TempDir()
	r := trained(t, dir, "epochs=1")
	before := contents(t, r.Path)
	require.Zero(t, len(must.Get(r.Remarks())(t).Tags))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for {
				err := r.Remark(func(m *runs.Remarks) { m.Add(fmt.Sprint("t", i)) })
				if _, held := errors.AsType[*fsx.HeldError](err); !held {
					require.NoError(t, err)
					return
				}
			}
		})
	}
	all.Wait()
	want := runs.Remarks{Tags: strings.Fields("t0 t1 t2 t3 t4 t5 t6 t7")}
	require.Equal(t, want, must.Get(r.Remarks())(t))

	for op := range 20 { // a failure of any operation leaves the old remarks or the new ones
		n, set := 0, func(m *runs.Remarks) { m.Note = fmt.Sprint("note ", op) }
		restore := fsx.Inject(func(fsx.Op) error {
			if n++; n > op {
				return errDead
			}
			return nil
		})
		err := r.Remark(set)
		restore()
		got := must.Get(r.Remarks())(t)
		if want.Note == got.Note {
			require.Error(t, err, op)
		} else {
			require.Equal(t, fmt.Sprint("note ", op), got.Note)
		}
		require.Equal(t, want.Tags, got.Tags)
		require.NoError(t, r.Remark(set))
		want = must.Get(r.Remarks())(t)
	}

	require.NoError(t, r.Remark(func(m *runs.Remarks) { *m = runs.Remarks{} }))
	for _, left := range must.Get(runs.FindUnused(dir, true))(t) { // left by the failures
		if strings.Contains(left.Path, "remarks") {
			require.NoError(t, left.Remove())
		}
	}
	require.Equal(t, before, contents(t, r.Path), "no file is left")
}

// The error for a remarks file that exp has not written names the file, which is not replaced.
func TestRemarksOfOthers(t *testing.T) {
	r := trained(t, t.TempDir(), "epochs=1")
	file := filepath.Join(r.Path, "remarks.json")
	for text, why := range map[string]string{
		"{":                               "unexpected EOF",
		`{"note":"a","stars":5}`:          `unknown field "stars"`,
		`{"note":"a\nb"}`:                 "is not a line of text",
		`{"tags":["a b"]}`:                `tag "a b": use a word`,
		strings.Repeat(" ", 1<<17) + "{}": "remarks.json",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := r.Remarks()
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, r.Remark(func(m *runs.Remarks) { m.Note = "b" }), why)
		require.Equal(t, text, string(must.Get(os.ReadFile(file))(t)))
		_, err = runs.With([]*runs.Run{r}, []string{"tag=a"})
		require.ErrorContains(t, err, "remarks.json")
	}
}
