package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
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
		paths := must.Get(filepath.Glob(filepath.Join(dir, "*", "*", name)))(t)
		require.Len(t, paths, 1)
		b := must.Get(os.ReadFile(paths[0]))(t)
		text += string(b)
	}
	return text
}

// Nothing but a command or a path to copy is wider than a terminal of 40 columns.
func TestNarrowTerminal(t *testing.T) {
	_, flags := folders(t)
	on := func(args ...string) {
		t.Helper()
		for line := range strings.SplitSeq(on(t, 40, false, exitOK, append(args, flags...)...), "\n") {
			line = line[strings.LastIndexByte(line, '\r')+1:]
			if line = escape.ReplaceAllString(line, ""); !strings.Contains(line, "exp ") && !strings.Contains(line, "/") {
				require.LessOrEqual(t, term.Width(line), 40, "exp %q: %q", args, line)
			}
		}
	}
	for _, name := range []string{"tme9-simple", "tme10-cls-pe", "seq2seq-bahdanau", "nbsvm"} {
		on("show", name, "--settings")
	}
	on("run", "tme9-simple", "epochs=2", "data.valid=0.2")
	on("run", "tme10-self", "epochs=1")
	on("run", "seq2seq-bahdanau", "epochs=1", "data.limit=100")
	on("run", "tme9-simple", "seed=1..2", "epochs=1")
	simple, self := "tme9-simple[data.valid=0.2,epochs=2]", "tme10-self[epochs=1]"
	on("show", "@last")
	for _, how := range [][]string{{"the jokes are hilarious"}, {"the jokes are hilarious", "--steps"}, {"--words"}, {}} {
		on(append([]string{"attend", simple}, how...)...)
	}
	on("attend", self, "the jokes are hilarious", "--steps")
	on("attend", self, "--spread", "--limit", "10")
	on("attend", "seq2seq-bahdanau[data.limit=100,epochs=1]", "le roi")
	on("compare", simple, self)
	for _, how := range [][]string{{}, {"--confusion"}, {"--leaderboard"}, {"--against", simple}, {"--rows", "experiment"}, {"--claims"}} {
		on(append([]string{"report"}, how...)...)
	}
	on("explain", simple, "--reviews", "10", "--tests", "agreement,erasure")
	on("runs", "list")
	on("data", "list")
	on("data", "info", "sample")
	on("data", "info", "phrases")
	on("list")
}

// If the folder of runs disappears during training, or too many files are open, the error says what to do.
func TestRunsFolderVanishes(t *testing.T) {
	for name, vanish := range map[string]func(dir string) error{
		"removed":            os.RemoveAll,
		"renamed":            func(dir string) error { return os.Rename(dir, dir+".old") },
		"experiment":         func(dir string) error { return os.RemoveAll(filepath.Join(dir, "tme9-lstm")) },
		"replaced by a file": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := folders(t)
			dir = filepath.Join(dir, "runs")
			out := output{see: func(text string) {
				if strings.Contains(text, "epoch 1/3") {
					require.NoError(t, vanish(dir))
				}
			}}
			require.Equal(t, exitFailed, call(t.Context(), &out, 0, false, tiny([]string{"--runs", dir}, "epochs=3")...))
			require.Contains(t, out.String(), " was removed or renamed while the command ran: put it back, or give the command again to start over\n")
			require.NotContains(t, out.String(), "did you mean")
		})
	}
	a := &cli.App{}
	require.Contains(t, a.Hint(&os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}), "ulimit -n 1024")
}

// A signal ends a command inside its step: self-attention over texts of 100 000 words takes minutes.
func TestLongStepsHearASignal(t *testing.T) {
	_, flags := folders(t)
	text := strings.Repeat("the plot is dull and the jokes are good ", 100_000/9)
	file := filepath.Join(t.TempDir(), "long.csv")
	require.NoError(t, os.WriteFile(file, []byte("text,label\n"+text+",neg\nfunny "+text+",pos\nbad "+text+",neg\nfine "+text+",pos\n"), 0o666))
	ok(t, append([]string{"data", "add", file, "--name", "long"}, flags...)...)
	pairs := filepath.Join(t.TempDir(), "pairs.tsv")
	require.NoError(t, os.WriteFile(pairs, []byte("Sentiment\tText\tbatch_id\nNegative\t"+text+"\t1\nPositive\tfunny "+text+"\t1\n"), 0o666))
	ok(t, append([]string{"data", "add", pairs, "--probe", "--name", "probe"}, flags...)...)
	self := []string{"tme10-self", "data.max_len=0", "vectors=random"}
	ok(t, slices.Concat([]string{"run"}, self, []string{"epochs=1", "data.limit=4"}, flags)...)
	for _, args := range [][]string{
		{"predict", "@last", file},
		{"attend", "@last", text},
		{"attend", "@last", text, "--by", "leaveout"},
		{"probe", "@last", "--on", "probe"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var asked time.Time
		time.AfterFunc(500*time.Millisecond, func() { asked = time.Now(); cancel() })
		var out output
		require.Equal(t, exitInterrupted, call(ctx, &out, 0, false, append(args, flags...)...), "exp %.80q: %s", args, out.String())
		require.Less(t, time.Since(asked), 8*time.Second, "exp %.80q", args)
	}
}

// fits checks that no line of a text is wider than the terminal, except lines with one of the given
// words, such as the path of a temporary folder.
func fits(t *testing.T, text string, width int, except ...string) {
	t.Helper()
lines:
	for line := range strings.SplitSeq(escape.ReplaceAllString(text, ""), "\n") {
		for _, word := range except {
			if strings.Contains(line, word) {
				continue lines
			}
		}
		line = line[strings.LastIndex(line, "\r")+1:]
		require.LessOrEqual(t, term.Width(line), width, "%q", line)
	}
}

func TestRunFits(t *testing.T) {
	_, flags := folders(t)
	for i, width := range []int{60, 140} {
		out := on(t, width, true, exitOK, tiny(flags, "epochs=2", "select=best", "lr=0.1", "--force")...)
		fits(t, out, width, flags[1])
		text := escape.ReplaceAllString(out, "")
		require.Contains(t, text, "1/2")
		require.Equal(t, i > 0, strings.Contains(text, "words/s"), "a narrow table omits columns")
		require.Contains(t, out, "\x1b[38;5;16;48;5;", "attended words are painted")
		require.NotRegexp(t, `\[\w+\]`, text, "painted words need no brackets")
	}
	out := on(t, 80, false, exitOK, tiny(flags, "epochs=2", "lr=0.1", "--force")...)
	require.NotContains(t, out, "\x1b[38;5;16")
	require.NotContains(t, out, "\x1b["+string(term.Dim)+"m")
	require.Regexp(t, `\[\w+\]`, out)
}

func TestAttendFits(t *testing.T) {
	_, flags := folders(t)
	ok(t, append([]string{"run", "tme10-cls", "layers=1", "data.limit=20", "epochs=1", "vectors=random"}, flags...)...)
	for _, width := range []int{60, 140} {
		for _, words := range [][]string{nil, {"--words"}, {"--steps", "not a great film"}, {"--head", "1", "a \x1b[31mgreat\a film xyzzy"}} {
			out := on(t, width, true, exitOK, append(append([]string{"attend", "@last"}, words...), flags...)...)
			require.NotContains(t, out, "\x1b[31m")
			require.NotContains(t, out, "\a")
			fits(t, out, width)
			require.Equal(t, words == nil || words[0] == "--head", strings.Contains(out, "\x1b[38;5;16;48;5;"), "shades")
		}
	}
}

// A terminal shows one line for each review, and no text controls the terminal.
func TestPredictFits(t *testing.T) {
	_, flags := folders(t)
	ok(t, tiny(flags, "epochs=1")...)
	long := strings.Repeat("the qqxxv plot is good ", 20)
	dir := t.TempDir()
	many := filepath.Join(dir, "many.csv")
	require.NoError(t, os.WriteFile(many, []byte("id,text,label\na rather long name of a review,"+long+",pos\nb,\x1b[31mred \x1b]0;title\a,neg\nc,,pos\n"), 0o666))
	for _, color := range []bool{true, false} {
		out := on(t, 60, color, exitOK, append(flags, "predict", "@last", many)...)
		fits(t, out, 60)
		require.NotContains(t, out, "\x1b[31m")
		require.NotContains(t, out, "\x1b]0")
		for _, want := range []string{"a rather long nam…  ", "  the ", "3 reviews, ", "accuracy "} {
			require.Contains(t, escape.ReplaceAllString(out, ""), want)
		}
	}
}

// A run of an unknown model is shown without its equation and drawing.
func TestShowUnknownModel(t *testing.T) {
	dir, flags := folders(t)
	set := must.Get(settings.New(&settings.Run{}))(t)
	c := runs.NewConfig("rnn", "rnn", 1, set, nil)
	w := must.Get(runs.Create(dir, c, runs.Environment{}))(t)
	require.NoError(t, w.Close())
	show := append(flags, "show", runs.Folder(dir, &c))
	out := ok(t, show...)
	require.Contains(t, out, "does not know the model rnn")
	require.Contains(t, out, "\nsettings\n")
	require.Contains(t, on(t, 0, false, exitFailed, append(show, "--svg", "-")...), "cannot be drawn")
}
