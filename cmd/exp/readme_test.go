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

// The recipe for a new model, followed: the file shown, under another name, and
// the entry shown are added to the program, which then trains it.
func TestReadmeRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: compiles the program")
	}
	code := blocks(t, "go")
	require.Len(t, code, 2)
	simple, err := os.ReadFile("../../models/simple.go")
	require.NoError(t, err)
	require.Equal(t, string(simple), code[0], "the README shows another models/simple.go")

	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	overlay := map[string]map[string]string{"Replace": {}}
	add := func(path, text string) {
		file := filepath.Join(dir, filepath.Base(path))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		overlay["Replace"][filepath.Join(root, path)] = file
	}
	rename := strings.NewReplacer("Simple", "Recipe", `"simple"`, `"recipe"`)
	add("models/recipe.go", rename.Replace(code[0]))
	add("experiments/mine.go", rename.Replace(code[1]))
	b, err := json.Marshal(overlay)
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, b, 0o600))

	cmd := exec.Command("go", "run", "-overlay", file, ".", "run", "mine",
		"data=sample", "data.limit=60", "epochs=1", "--runs", filepath.Join(dir, "runs"), "--data-dir", dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "mine: what I want to see")
	require.Contains(t, string(out), "mine: clip=1")
	require.Contains(t, string(out), "mine: test accuracy ")
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
	try("run", "tme9-lstm", "data.limit=60", "epochs=1")
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
