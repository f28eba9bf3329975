package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
)

func TestCheckModes(t *testing.T) {
	modes := []cli.Mode{
		{Takes: []string{"html", "best"}},
		{Flags: []string{"words"}, Takes: []string{"top"}},
		{Flags: []string{"split"}, Takes: []string{"format", "out"}},
		{Flags: []string{"erase"}, Takes: []string{"out", "limit"}},
		{Flags: []string{"rows", "cols"}},
		{Flags: []string{"search"}, Name: "--search random", Takes: []string{"trials"}},
	}
	for flags, want := range map[string]string{
		"":              "",
		"html best":     "",
		"free split":    "",
		"erase out":     "",
		"rows cols":     "",
		"words split":   "use --words or --split, not both",
		"words cols":    "use --words or --rows and --cols, not both",
		"format":        "--format needs --split",
		"out words":     "--out needs --split and --erase",
		"words html":    "use --words or --html, not both",
		"split html":    "use --split or --html, not both",
		"limit":         "--limit needs --erase",
		"trials":        "--trials needs --search random",
		"search trials": "",
	} {
		err := cli.CheckModes(func(f string) bool { return slices.Contains(strings.Fields(flags), f) }, modes)
		if want == "" {
			require.NoError(t, err, flags)
			continue
		}
		require.EqualError(t, err, want, flags)
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{"tme9": "tme9", "lr=0.1,0.2": "lr=0.1,0.2", "a b": "'a b'", "": "''", "it's": `'it'\''s'`, "tme9-lstm[seed=2]": "'tme9-lstm[seed=2]'",
		"it's\n\x1b[8m\u202e\\": `$'it\'s\n\x1b[8m\u202e\\'`} {
		require.Equal(t, want, cli.Quoted(word))
	}
}

func TestEnding(t *testing.T) {
	for path, want := range map[string]string{
		"":            "",
		"-":           "",
		"page":        "", // nothing is said of what it holds
		"a.b/page":    "",
		"page.html":   "",
		"PAGE.HTM":    "",
		"page-0.5":    "", // a number
		"page.":       "",
		"page.png":    "--html page.png: use the extension .html or .htm, or none",
		"page.html.x": "--html page.html.x: use the extension .html or .htm, or none",
	} {
		err := cli.Ending("html", path, ".html", ".htm")
		if want == "" {
			require.NoError(t, err, path)
			continue
		}
		require.EqualError(t, err, want)
		require.ErrorAs(t, err, new(cli.UsageError), "exit code 2")
	}
}

// Examples come first, and prose fits the terminal; a pipe gets it as it is written.
func TestHelp(t *testing.T) {
	long := strings.Repeat("words ", 40) + "end"
	for width, want := range map[int]int{0: len(long), 60: 60, 100: 100} {
		var out bytes.Buffer
		a := &cli.App{IO: term.New(&out, &out, width, false)}
		root := &cobra.Command{Use: "exp"}
		run := &cobra.Command{Use: "run", Long: long + "\n\none  two\n", Example: "  exp run x", Run: func(*cobra.Command, []string) {}}
		run.Flags().Bool("force", false, strings.Repeat("help ", 10))
		root.AddCommand(run)
		root.SetOut(a.IO.Out)
		a.Help(root)
		root.SetArgs([]string{"run", "--help"})
		require.NoError(t, root.Execute())
		longest := 0
		for line := range strings.SplitSeq(out.String(), "\n") {
			longest = max(longest, len(line))
		}
		require.LessOrEqual(t, longest, want)
		text := out.String()
		require.Less(t, strings.Index(text, "exp run x"), strings.Index(text, "words words"))
		require.Contains(t, text, "\none  two\n")
		require.Contains(t, text, "--force")
	}
}

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

func TestPictureFiles(t *testing.T) {
	both := func(name string) []string { return []string{name + ".png", name + ".svg"} }
	for out, want := range map[string][]string{
		"":           both(""), // a name comes later
		"pe":         both("pe"),
		"a.b/pe":     both("a.b/pe"),
		"pe.png":     {"pe.png"},
		"a/pe.SVG":   {"a/pe.SVG"},
		".svg":       nil,
		"folder/":    nil,
		"pe.jpg":     nil,
		"folder/.sv": nil,
	} {
		got, err := cli.PictureFiles(out)
		if want == nil {
			require.ErrorContains(t, err, "--out "+out, out)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
