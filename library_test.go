package imdbexp_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/models"
	"imdbexp/runs"
)

// words is a model that classifies words in place of reviews.
type words struct{ models.Head }

func (m *words) Build(b *models.Builder, x *models.Node) models.Output { return m.Classify(b, x) }

func init() {
	models.Register(models.Info{Name: "words", New: func() models.Model { return &words{} }})
}

func TestErrors(t *testing.T) {
	o := imdbexp.Options{Runs: t.TempDir()}
	for want, words := range map[string][]string{
		`unknown experiment "nosuch"`:         {"nosuch"},
		`tme9-mean: unknown setting "epoch"`:  {"tme9-mean", "epoch=1"},
		"lr is given twice":                   {"tme9-mean", "lr=1", "lr=2"},
		"data=films is not installed":         {"tme9-mean", "data=films"},
		"attention=imposed needs another run": {"scored", "attention=imposed"},
		"attention.width=0: want 1 or more":   {"scored", "attention.width=0"},
		"the classifier needs a row for each": {"words", "data.limit=20", "vectors=random"},
	} {
		require.ErrorContains(t, must.Fail(imdbexp.Train(t.Context(), o, words[0], words[1:]...)), want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Epoch = func(runs.Metrics) { cancel() }
	require.ErrorIs(t, must.Fail(imdbexp.Train(ctx, o, "tme9-mean")), context.Canceled)

	run, _ := testmodel.Train(t, "seq2seq-plain")
	require.ErrorContains(t, must.Fail(imdbexp.Open(run.Path, 1)), "translates")
	require.ErrorIs(t, must.Fail(imdbexp.Open(filepath.Join(o.Runs, "nosuch"), 1)), fs.ErrNotExist)
	require.ErrorContains(t, must.Fail(imdbexp.Open("imdbexp.go", 1)), "imdbexp.go: ")
}

// A run's folder and the file made of it are the same model, for any number of callers.
func TestModel(t *testing.T) {
	run, _ := testmodel.Train(t, "tme10-self")
	m := must.Get(imdbexp.Open(run.Path, 1))(t)
	defer m.Close()
	var file bytes.Buffer
	require.NoError(t, must.Get(infer.ReadRun(run))(t).Write(&file))
	same := must.Get(imdbexp.Parse(file.Bytes(), 2))(t)
	defer same.Close()
	require.Equal(t, []string{"neg", "pos"}, same.Classes)

	texts := []string{"the jokes are hilarious .", "", "xyzzy"}
	want := must.Get(m.Predict(t.Context(), texts...))(t)
	require.Len(t, want, 3)
	require.Equal(t, []int{5, 1, 1}, []int{want[0].Words, want[1].Words, want[2].Words})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got := must.Get(same.Predict(t.Context(), texts...))(t)
			require.Equal(t, want, got)
			view := must.Get(same.Attend(texts[0], imdbexp.Selection{Layer: 1, Word: "jokes"}))(t)
			require.Equal(t, want[0].P, view.P)
			sum := float32(0)
			for i, w := range view.Words {
				require.Equal(t, strings.Fields(texts[0])[i], texts[0][w.Start:w.End])
				sum += w.Weight
			}
			require.InDelta(t, 1, sum, 1e-6)
			require.Contains(t, view.What, `"jokes"`)
		})
	}
	all.Wait()
	require.ErrorContains(t, must.Fail(m.Attend(texts[0], imdbexp.Selection{Layer: 9})), "layer 9: the model has layers 1 to 3")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, must.Fail(m.Predict(ended, texts...)), context.Canceled)

	run, _ = testmodel.Train(t, "tme9-mean")
	mean := must.Get(imdbexp.Open(run.Path, 1))(t)
	defer mean.Close()
	view := must.Get(mean.Attend("good", imdbexp.Selection{}))(t)
	require.Empty(t, view.What)
	require.Zero(t, view.Words[0].Weight)
}

func TestLookUp(t *testing.T) {
	o := imdbexp.Options{Runs: t.TempDir(), Data: t.TempDir()}
	file := filepath.Join(t.TempDir(), "mine.txt")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll("the 0\nfilm 1\ngood 2\nxyzzy 3\n", "\n", strings.Repeat(" 1", 9)+"\n")), 0o600))
	must.Get(folder.AddVectors(t.Context(), o.Data, file, "mine", false, folder.Options{}))(t)
	run := must.Get(imdbexp.Train(t.Context(), o, "tme9-simple", "data=sample", "vectors=mine", "data.limit=20", "epochs=1"))(t)
	m := must.Get(imdbexp.Open(run.Path, 1))(t)
	defer m.Close()
	for _, known := range []bool{false, true} {
		view := must.Get(m.Attend("the xyzzy", imdbexp.Selection{}))(t)
		require.True(t, view.Words[0].Known)
		require.Equal(t, known, view.Words[1].Known)
		require.NoError(t, m.LookUp(t.Context(), o.Data))
	}
	require.ErrorContains(t, m.LookUp(t.Context(), t.TempDir()), "vectors=mine is not installed")
}

// TestOtherProgram follows docs/guide/library.md in a copy of the tree: it gives the module another
// address and runs the page's program in a module of its own.
func TestOtherProgram(t *testing.T) {
	if os.Getenv("EXP_CI") == "" {
		t.Skip("compiles the module under another address: EXP_CI=1 does")
	}
	tree, mine := filepath.Join(t.TempDir(), "imdbexp"), t.TempDir()
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("needs a git checkout and GNU sed")
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if text, err := os.ReadFile(path); err == nil { // else it is deleted, but not committed yet
			to := filepath.Join(tree, path)
			require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
			require.NoError(t, os.WriteFile(to, text, 0o600))
		}
	}
	page := string(must.Get(os.ReadFile("docs/guide/library.md"))(t))
	shell := func(dir, commands string) string {
		t.Helper()
		cmd := exec.Command("bash", "-ec", commands)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOSUMDB=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	address := regexp.MustCompile(`(?m)^git ls-files .*$`).FindString(page)
	require.NotEmpty(t, address)
	shell(tree, "git init -q; git add .; "+address)
	module, _, _ := strings.Cut(shell(tree, "go list"), "\n")
	require.Equal(t, "github.com/you/imdbexp", module)
	for path := range strings.Lines(shell(tree, "go list -deps -test ./...")) {
		require.False(t, strings.HasPrefix(path, "imdbexp"), path)
	}
	page = string(must.Get(os.ReadFile(filepath.Join(tree, "docs/guide/library.md")))(t))
	block := func(begins, ends string) string {
		_, text, found := strings.Cut(page, begins)
		require.True(t, found, begins)
		text, _, _ = strings.Cut(text, ends)
		return text
	}
	require.NoError(t, os.WriteFile(filepath.Join(mine, "main.go"), []byte(block("```go\n", "```")), 0o600))
	// go mod tidy would download what the tests of all dependencies need.
	commands := strings.NewReplacer("imdbexp@", module+"@", "imdbexp=../imdbexp", module+"="+tree,
		"go mod tidy", "cp "+tree+"/go.sum .; export GOFLAGS=-mod=mod").Replace("go mod init" + block("```sh\ngo mod init", "```"))
	out := shell(mine, commands)
	require.Regexp(t, `(?s)pos \[0\.0.* 0\.9.*neg \[0\.9.*0\.[5-9]\d+ hilarious.*imdbexp:tme9-simple/[0-9a-f]{6}@[0-9a-f]{8}\n`+
		`.*pos \[0\.0.*0\.[5-9]\d+ hilarious.*imdbexp:global/[0-9a-f]{6}@[0-9a-f]{8}\n$`, out)
}

// What the package exports can be named by other programs.
func TestPlainTypes(t *testing.T) {
	exported := must.Get(exec.Command("go", "doc", "-all", ".").Output())(t)
	require.Contains(t, string(exported), "func Train(")
	require.NotRegexp(t, `\b(infer|ops|settings|training|plan|task|experiments)\.[A-Z]`, strings.ReplaceAll(string(exported), "*training.DivergedError", ""))
}
