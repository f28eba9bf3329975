package cli

import (
	"os"
	"path/filepath"
	"strings"

	"imdbexp/internal/term"
)

// Command returns the command line of exp with these words and the current folders.
func (a *App) Command(words ...string) string {
	if a.Runs != defaultRuns {
		words = append(words[:len(words):len(words)], "--runs", a.Runs)
	}
	if a.dataDir != "" {
		words = append(words[:len(words):len(words)], "--data-dir", a.dataDir)
	}
	return CommandLine(words...)
}

// CommandLine returns the command line of exp with these words. Under go run it begins with go run.
func CommandLine(words ...string) string {
	exp := "exp"
	if path, err := os.Executable(); err == nil {
		name := strings.TrimSuffix(filepath.Base(path), ".exe")
		if name == exp && strings.Contains(filepath.ToSlash(path), "/go-build") {
			exp = "go run ./cmd/exp"
		}
	}
	for _, w := range words {
		exp += " " + Quoted(w)
	}
	return exp
}

var controls = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// Quoted quotes a word for a shell if necessary.
func Quoted(w string) string {
	plain := func(r rune) bool {
		return !strings.ContainsRune("=.,-_/:@%+", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if w != "" && !strings.ContainsFunc(w, plain) {
		return w
	}
	if term.Line(w) != w { // as bash and zsh read it
		return "$'" + term.Visible(controls.Replace(w)) + "'"
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
