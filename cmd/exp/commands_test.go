package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
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

// breakRun leaves nothing but noise of a file of a run, by default of the last one: break
// last.safetensors RUN; with ! not even the file.
func breakRun(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 1 {
		args = append(args, "@last")
	}
	if len(args) != 2 {
		ts.Fatalf("usage: [!] break FILE [RUN]")
	}
	r, err := runs.Find(ts.MkAbs("runs"), args[1])
	ts.Check(err)
	path := filepath.Join(r.Path, args[0])
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
		filepath.Join(t.TempDir(), "results"): "results; the same command continues\n",
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
	for _, path := range []string{"", "-", "page", "a.b/page", "page.html", "PAGE.HTM", "page-0.5", "page."} {
		require.NoError(t, cli.Ending("html", path, ".html", ".htm"), path)
	}
	err := cli.Ending("html", "page.html.x", ".html", ".htm")
	require.EqualError(t, err, "--html page.html.x: use the extension .html or .htm, or none")
	require.ErrorAs(t, err, new(cli.UsageError), "exit code 2")
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

// The help of each command has examples and fits a screen of 50 lines with 80 columns.
func TestHelpFitsAScreen(t *testing.T) {
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		out := on(t, 80, false, exitOK, append(strings.Fields(c.CommandPath())[1:], "--help")...)
		assert.LessOrEqual(t, strings.Count(out, "\n"), 50, c.CommandPath())
		assert.True(t, strings.HasPrefix(out, "Examples:\n"), c.CommandPath())
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" { // cobra's own
				check(sub)
			}
		}
	}
	check(root(&cli.App{IO: term.New(io.Discard, io.Discard, 0, false)}))
}

// Flags and commands of earlier versions are answered by what replaces them.
func TestRemovedFlags(t *testing.T) {
	for line, want := range map[string]string{
		"attend @last --erase":             "unknown flag: --erase; use exp explain RUN --tests erasure",
		"run tme9-mean --slurm-time 2:00":  "unknown flag: --slurm-time; write the option into slurm.yaml (docs/slurm.md)",
		"data add a.csv --encoding latin1": "unknown flag: --encoding; save the file as UTF-8, for example with iconv",
		"bench":                            `unknown command "bench"; exp run NAME --dry-run measures the speed`,
		"runs du":                          `unknown command "du"; exp runs list shows the sizes`,
		"report --best-epoch":              "unknown flag: --best-epoch; exp show RUN names it, and --format csv has it as oracle_epoch and oracle_test_acc",
	} {
		require.Equal(t, "exp: "+want+"\n", on(t, 0, false, exitUsage, strings.Fields(line)...))
	}
}

// A file that is not there is said to be so, with where it was looked for.
func TestMissingFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	at := must.Get(os.Getwd())(t)
	open := func(name string) error { _, err := os.Open(name); return err }
	far := filepath.Join(dir, "far.csv")
	for want, err := range map[string]error{
		"there is no file x.csv in " + at + ": check its name and folder":       open("x.csv"),
		"add: there is no file y.csv in " + at + ": check its name and folder!": cli.Usage(fmt.Errorf("add: %w!", open("y.csv"))),
		"there is no file no/a.yaml in " + at + ": check its name and folder":   open(filepath.FromSlash("no/a.yaml")),
		"there is no file " + far + ": check its name and folder":               open(far),
		"x.csv: is empty": errors.New("x.csv: is empty"),
	} {
		require.Equal(t, want, (&cli.App{Runs: "runs"}).Explain(err))
	}
	denied := &fs.PathError{Op: "mkdir", Path: "runs", Err: fs.ErrPermission}
	require.Equal(t, "mkdir runs: permission denied; name a folder in which you may write with --runs", (&cli.App{Runs: "runs"}).Explain(denied))
}

func TestPictureFiles(t *testing.T) {
	for out, want := range map[string][]string{"a.b/pe": {"a.b/pe.png", "a.b/pe.svg"}, "pe.png": {"pe.png"}, "a/pe.SVG": {"a/pe.SVG"}} {
		require.Equal(t, want, must.Get(cli.PictureFiles(out))(t))
	}
	for _, out := range []string{".svg", "folder/", "pe.jpg", "folder/.sv"} {
		_, err := cli.PictureFiles(out)
		require.ErrorContains(t, err, "--out "+out, out)
	}
}
