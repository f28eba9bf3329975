package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// blocks returns the code blocks of the README in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	var out []string
	for _, part := range strings.Split(string(readme), "\n```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		out = append(out, block+"\n")
	}
	return out
}

// The recipe for a new model, followed to the letter: the file shown, under another
// name, and the entry shown are added to the program, and nothing else. The model then
// trains, is reported, attends, explains itself in steps, is drawn and exported; and the
// tests that go over all models and experiments stay green.
func TestReadmeRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: compiles the program")
	}
	dir := t.TempDir()
	overlay := recipe(t, dir)
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

	if os.Getenv("EXP_ONNXRUNTIME") != "" {
		env := []string{"EXP_ONNX_RUNS=" + filepath.Join(dir, "runs"), "EXP_DATA=" + dir, "EXP_ONNX_TEXTS=20"}
		out := printed(t, env, "go", "test", "-count=1", "-v", "-overlay", overlay, "./internal/infer", "-run", "ONNXRuntimeOnRuns")
		require.Contains(t, out, "--- PASS: TestONNXRuntimeOnRuns/mine/")
	}
	if os.Getenv("EXP_CI") != "" {
		printed(t, nil, "go", "test", "-overlay", overlay, "../../models", "../../docs")
		short := []string{"EXP_CI="} // what takes long is tested without the recipe
		printed(t, short, "go", "test", "-short", "-overlay", overlay, "../../experiments/...", "../../report/...")
		printed(t, short, "go", "test", "-short", "-overlay", overlay, ".", "-run", "Show|Script/show|ReadmeCommands|Formats")
	}
}

// recipe writes what the README shows into dir, and returns the file that lays it over
// the program's own files.
func recipe(t *testing.T, dir string) string {
	t.Helper()
	code := blocks(t, "go")
	require.Len(t, code, 2)
	simple, err := os.ReadFile("../../models/simple.go")
	require.NoError(t, err)
	require.Equal(t, string(simple), code[0], "the README shows another models/simple.go")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	files := map[string]map[string]string{"Replace": {}}
	add := func(path, text string) {
		file := filepath.Join(dir, filepath.Base(path))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		files["Replace"][filepath.Join(root, path)] = file
	}
	rename := strings.NewReplacer("Simple", "Recipe", `"simple"`, `"recipe"`)
	add("models/recipe.go", rename.Replace(code[0]))
	add("experiments/mine.go", rename.Replace(code[1]))
	b, err := json.Marshal(files)
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, b, 0o600))
	return overlay
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

// Every exp command of the README is one that the program takes.
func TestReadmeCommands(t *testing.T) {
	files, commands := blocks(t, "yaml"), blocks(t, "")
	dir := t.TempDir()
	t.Setenv("EXP_DATA", filepath.Join(dir, "data"))
	t.Chdir(dir)
	for _, b := range files {
		require.NoError(t, os.WriteFile("mine.yaml", []byte(b), 0o600))
	}
	try := func(args ...string) {
		t.Helper()
		var out, errs strings.Builder
		code := execute(t.Context(), term.New(&out, &errs, 0, false), args)
		require.Zero(t, code, "exp %s\n%s%s", strings.Join(args, " "), out.String(), errs.String())
	}
	try("run", "tme9-lstm") // what its name means from then on
	installOwn(t, try)
	n := 0
	for _, block := range commands {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, "#")
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))
			if len(args) < 2 || args[0] != "exp" || args[1] == "data" {
				continue // data: cmd/exp/testdata/script/data.txtar
			}
			if args[1] == "run" {
				args = append(args, "--dry-run")
				if !strings.Contains(line, "--search") && !strings.Contains(line, "--on ") {
					args = append(args, "--on", "slurm") // which does not train to tell how long it takes
				}
			}
			try(args[1:]...)
			n++
		}
	}
	require.Greater(t, n, 8)
}
