package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// TestModelRecipe follows docs/guide/model.md: it adds the file shown, under another name,
// and the entry shown, and nothing else. The model then trains and appears in every command,
// and the tests that go over all models and experiments pass. Without EXP_CI=1 it only compares
// the page with models/simple.go.
func TestModelRecipe(t *testing.T) {
	dir := t.TempDir()
	overlay := recipe(t, dir)
	if os.Getenv("EXP_CI") == "" {
		t.Skip("compiles the program: EXP_CI=1 does")
	}
	exp := filepath.Join(dir, "exp")
	printed(t, nil, "go", "build", "-ldflags=-s -w", "-overlay", overlay, "-o", exp, ".")
	try := func(args ...string) string {
		t.Helper()
		return printed(t, nil, exp, append(args, "--runs", filepath.Join(dir, "runs"), "--data-dir", dir)...)
	}
	out := try("run", "mine", "data=sample", "data.limit=60", "epochs=1")
	require.Contains(t, out, "mine: what I want to see")
	require.Contains(t, out, "mine: clip=1")
	require.Contains(t, out, "mine: test accuracy ")
	require.Contains(t, try("report"), "mine")
	require.Contains(t, try("attend", "@last", "a good film"), "good")
	steps := try("attend", "@last", "--steps", "a good film")
	require.Contains(t, steps, "the one learned query")
	require.Contains(t, steps, "what each word adds to the logits")
	drawn := try("show", "mine")
	last := 0
	for _, box := range []string{"words x₁ … xₙ", "│ keys xᵢ │", "│ αᵢ = softmaxᵢ(q·xᵢ) │", "│ t̂ = Σᵢ αᵢ xᵢ │", "│ z = W·t̂ + b │"} {
		at := strings.Index(drawn[last:], box)
		require.GreaterOrEqual(t, at, 0, "%s comes further down in\n%s", box, drawn)
		last += at
	}
	graph := filepath.Join(dir, "mine.onnx")
	try("export", "@last", "--onnx", "--out", graph)
	require.FileExists(t, graph)

	staysGreen(t, filepath.Join(dir, "tree"), overlay)

	if os.Getenv("EXP_ONNXRUNTIME") != "" {
		env := []string{"EXP_ONNX_RUNS=" + filepath.Join(dir, "runs"), "EXP_DATA=" + dir, "EXP_ONNX_TEXTS=20"}
		out := printed(t, env, "go", "test", "-count=1", "-v", "-overlay", overlay, "../../internal/infer", "-run", "ONNXRuntimeOnRuns")
		require.Contains(t, out, "--- PASS: TestONNXRuntimeOnRuns/mine/")
	}
	short := []string{"EXP_CI="} // what takes long is tested without the recipe
	printed(t, short, "go", "test", "-overlay", overlay, "../../models")
	printed(t, short, "go", "test", "-short", "-overlay", overlay, "../../experiments/...", "../../report/...")
	printed(t, short, "go", "test", "-short", "-overlay", overlay, ".", "-run", "Show|Script/show|GuideCommands|Formats")
}

// recipe writes the two files of docs/guide/model.md into dir and returns the overlay that
// adds them to the program.
func recipe(t *testing.T, dir string) string {
	t.Helper()
	code := docBlocks(t, "../../docs/guide/model.md", "go")
	require.Len(t, code, 2)
	simple := must.Get(os.ReadFile("../../models/simple.go"))(t)
	require.Equal(t, string(simple), code[0], "docs/guide/model.md shows another models/simple.go")
	root := must.Get(filepath.Abs("../.."))(t)
	files := map[string]map[string]string{"Replace": {}}
	add := func(path, text string) {
		file := filepath.Join(dir, filepath.Base(path))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		files["Replace"][filepath.Join(root, path)] = file
	}
	rename := strings.NewReplacer("Simple", "Recipe", `"simple"`, `"recipe"`)
	add("models/recipe.go", rename.Replace(code[0]))
	add("experiments/mine.go", rename.Replace(code[1]))
	b := must.Get(json.Marshal(files))(t)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, b, 0o600))
	return overlay
}

// staysGreen adds the files of an overlay to a copy of the tree, where the tests that look at
// files find them: bounds on what a room holds must leave room for a newcomer's.
func staysGreen(t *testing.T, tree, overlay string) {
	t.Helper()
	list, err := exec.Command("git", "-C", "../..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Log("not a git checkout: the tests of the tree are left out")
		return
	}
	from := map[string]string{}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		from[path] = filepath.Join("../..", path)
	}
	b := must.Get(os.ReadFile(overlay))(t)
	var files map[string]map[string]string
	require.NoError(t, json.Unmarshal(b, &files))
	root := must.Get(filepath.Abs("../.."))(t)
	for path, file := range files["Replace"] {
		path := must.Get(filepath.Rel(root, path))(t)
		from[path] = file
	}
	for path, file := range from {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, not committed yet
		}
		require.NoError(t, err)
		to := filepath.Join(tree, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, text, 0o600))
	}
	printed(t, nil, "git", "-C", tree, "init", "-q")
	program := filepath.Join(tree, "docs.test") // compiled here, where the packages are in the build cache
	printed(t, nil, "go", "test", "-c", "-overlay", overlay, "-o", program, "../../docs")
	printed(t, nil, "sh", "-c", `cd "$0/docs" && "$0/docs.test"`, tree)
}

// printed returns what a program prints, which must succeed.
func printed(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", program, strings.Join(args, " "), out)
	return string(out)
}

// TestGuideCommands types every exp command of the README and of docs/guide, in the order of
// the pages, on the sample data set. Commands that train for long are only planned.
func TestGuideCommands(t *testing.T) {
	pages := must.Get(filepath.Glob("../../docs/guide/*.md"))(t)
	require.Greater(t, len(pages), 8)
	pages = append(pages, "../../README.md")
	for i := range pages {
		pages[i] = must.Get(filepath.Abs(pages[i]))(t)
	}
	dir := t.TempDir()
	t.Setenv("EXP_DATA", filepath.Join(dir, "data"))
	t.Chdir(dir)
	guideFiles(t)
	seen := map[string]bool{} // pages repeat commands
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			for _, b := range docBlocks(t, page, "yaml") {
				require.NoError(t, os.WriteFile("mine.yaml", []byte(b), 0o600))
			}
			n := 0
			for _, block := range docBlocks(t, page, "sh") {
				for line := range strings.Lines(block) {
					line, _, _ = strings.Cut(line, " #")
					if line = guideCommand(strings.TrimSpace(line)); line == "" {
						continue
					}
					if !seen[line] {
						typed(t, line)
					}
					seen[line] = true
					n++
				}
			}
			require.Equal(t, filepath.Base(page) != "model.md", n > 0, "commands")
		})
	}
}

// guideFiles makes the runs and files that the pages take for granted.
func guideFiles(t *testing.T) {
	ownFiles(t)
	require.NoError(t, os.Rename("jan.csv", "reviews.csv"))
	typed(t, "exp run tme9-mean tme9-simple nbsvm multihead seq2seq-plain seq2seq-bahdanau seq2seq-luong seq2seq-transformer lm-lstm "+small)
	typed(t, "exp run tme9-lstm 'init=lm-lstm["+few+"]' init.lr=0.1 "+small)
	typed(t, "exp run tme9-lstm "+small) // @last
	require.NoError(t, os.WriteFile("sentences.txt", []byte("the red carpet\n"), 0o600))
	require.NoError(t, os.WriteFile("paper.qmd", []byte("The LSTM wins.\n"), 0o600))
	require.NoError(t, os.WriteFile("rewritten.csv", []byte("original,label,rewritten,rewritten_label\nthe jokes are hilarious,pos,the jokes are tedious,neg\na dull plot,neg,a clever plot,pos\n"), 0o600))
	var pairs strings.Builder
	for i := range 10 {
		fmt.Fprintf(&pairs, "the carpet %d\tle tapis %d\n", i, i)
	}
	require.NoError(t, os.WriteFile("pairs.tsv", []byte(pairs.String()), 0o600))
}

// small are the settings with which the test trains, few the same in a name.
const small, few = "epochs=2 data.limit=40", "epochs=2,data.limit=40"

// notTyped begin the commands that need a network, IMDB, a server or minutes. Scripts in
// testdata/script and the tests of their packages cover them.
var notTyped = []string{
	"exp data fetch", "exp data add aclImdb", "exp data add imdb", "exp data remove glove50", "exp serve", "exp export tme9-mean tme9-lstm --page",
	"exp export tme9-lstm --page",
}

// quickRun matches the training commands that take a second on the sample.
var quickRun = regexp.MustCompile(`^exp run (tme9-simple|nbsvm| |data=sample)+$`)

// guideCommand returns the command that the test types for a line of a page; "" for none.
func guideCommand(line string) string {
	for _, begin := range notTyped {
		if strings.HasPrefix(line, begin) {
			return ""
		}
	}
	switch {
	case !strings.HasPrefix(line, "exp "):
		return ""
	case strings.HasPrefix(line, "exp compare ") && strings.Contains(line, "init=lm-lstm"):
		return strings.NewReplacer("init=lm-lstm", "init=lm-lstm[epochs=2]", "]'", ","+few+"]'", "compare tme9-lstm", "compare 'tme9-lstm["+few+"]'").Replace(line)
	case strings.HasPrefix(line, "exp run tme9-lstm init=lm-lstm"):
		return strings.Replace(line, "init=lm-lstm", "'init=lm-lstm["+few+"]'", 1) + " --dry-run --on slurm"
	case quickRun.MatchString(line):
		return line
	case strings.HasPrefix(line, "exp explain "):
		return trained.ReplaceAllString(line, "'$1["+few+"]'$2") + " --reviews 4"
	case strings.Contains(line, "data.exclude"):
		return line + " " + small
	case strings.HasPrefix(line, "exp reproduce "):
		return line + " --epochs 1"
	case strings.HasPrefix(line, "exp report --out "):
		return strings.Replace(line, "report", "report tme9-mean", 1) // figures of one run
	case strings.HasPrefix(line, "exp show "):
		return line
	case !strings.HasPrefix(line, "exp run "):
		return trained.ReplaceAllString(line, "'$1["+few+"]'$2")
	case strings.Contains(line, "--dry-run"):
		return line
	case strings.Contains(line, "--search"), strings.Contains(line, "--jobs"):
		return line + " data.limit=40 --dry-run"
	default:
		return line + " --dry-run --on slurm" // which does not train to forecast the time
	}
}

// trained are the names of what guideFiles has trained.
var trained = regexp.MustCompile(`(tme9-mean|tme9-simple|tme9-lstm|nbsvm|seq2seq-\w+|multihead)( |$)`)
