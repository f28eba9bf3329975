package cli

import (
	"os"
	"path/filepath"
	"strings"

	"imdbexp/internal/term"
)

// Command returns what to type for exp with these words and the folders in use.
func (a *App) Command(words ...string) string {
	if a.Runs != defaultRuns {
		words = append(words[:len(words):len(words)], "--runs", a.Runs)
	}
	if a.dataDir != "" {
		words = append(words[:len(words):len(words)], "--data-dir", a.dataDir)
	}
	return CommandLine(words...)
}

// CommandLine returns what to type for exp with these words: go run leaves no exp
// to call.
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

// Quoted quotes a word for a shell where it has to be.
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
