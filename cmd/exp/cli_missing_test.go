package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
)

// A file that was typed and is not there is said to be so, with where it was looked for and what
// may have been meant; of other files the error stays as it is.
func TestMissingFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	at, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("reviews.csv", nil, 0o666))
	open := func(name string) error { _, err := os.Open(name); return err }
	stat := func(name string) error { _, err := os.Lstat(name); return err }
	for name, c := range map[string]struct {
		args string
		err  error
		want string
	}{
		"a word":       {"data add x.csv", open("x.csv"), "there is no file x.csv in " + at + ": check its name and folder"},
		"nearly":       {"predict r revews.csv", stat("revews.csv"), "there is no file revews.csv in " + at + " (did you mean reviews.csv?)"},
		"wrapped":      {"data add x.csv", cli.Usage(fmt.Errorf("add: %w!", open("x.csv"))), "add: there is no file x.csv in " + at + ": check its name and folder!"},
		"a setting":    {"run a vectors=v.txt", stat(filepath.Join(dir, "v.txt")), "there is no file v.txt in " + at + ": check its name and folder"},
		"a class":      {"data add --class=pos=g.txt", open("g.txt"), "there is no file g.txt in " + at + ": check its name and folder"},
		"no folder":    {"run no/a.yaml", open(filepath.FromSlash("no/a.yaml")), "there is no file no/a.yaml in " + at + ": check its name and folder"},
		"not typed":    {"show @last", open("x.csv"), open("x.csv").Error()},
		"another kind": {"data add x.csv", errors.New("x.csv: is empty"), "x.csv: is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, (&cli.App{Args: strings.Fields(c.args)}).Explain(c.err))
		})
	}
	denied := &fs.PathError{Op: "mkdir", Path: "runs", Err: fs.ErrPermission}
	require.Equal(t, "mkdir runs: permission denied; name a folder in which you may write with --runs", (&cli.App{Runs: "runs"}).Explain(denied))
	far := filepath.Join(dir, "far.csv")
	require.Equal(t, "there is no file "+far+": check its name and folder", (&cli.App{Args: []string{far}}).Explain(open(far)))
}
