package docs_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module  = "imdbexp/"
	testkit = "internal/testkit"
)

// room is a row of the table of docs/architecture.md.
type room struct {
	path  string
	below []string // the rooms that it may import
}

// rooms reads the table "What may import what".
func rooms(t *testing.T) []room {
	text, err := os.ReadFile("architecture.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## What may import what\n")
	require.True(t, ok)
	var out []room
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.Contains(cells[0], "`") {
			continue
		}
		r := room{path: code(cells[0])[0]}
		r.below = code(cells[2])
		out = append(out, r)
	}
	require.Greater(t, len(out), 10)
	return out
}

// code returns what stands in backquotes, without a slash at the end.
func code(text string) (out []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			out = append(out, strings.TrimSuffix(part, "/"))
		}
	}
	return out
}

// under reports whether a package is a folder or lies below it.
func under(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// roomOf returns the row of a package, the most exact one.
func roomOf(list []room, pkg string) *room {
	var best *room
	for i, r := range list {
		if under(pkg, r.path) && (best == nil || len(r.path) > len(best.path)) {
			best = &list[i]
		}
	}
	return best
}

func packages(t *testing.T) map[string][]string {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	require.NoError(t, err)
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		imports[pkg] = nil
		for _, i := range words[1:] {
			if own, ok := strings.CutPrefix(i, module); ok {
				imports[pkg] = append(imports[pkg], own)
			}
		}
	}
	return imports
}

// Every package has a row, and imports what its row allows.
func TestImports(t *testing.T) {
	list, used := rooms(t), map[string]bool{}
	for pkg, imports := range packages(t) {
		if under(pkg, testkit) || under(pkg, "docs") {
			continue
		}
		r := roomOf(list, pkg)
		if r == nil {
			t.Errorf("%s has no row in docs/architecture.md", pkg)
			continue
		}
		for _, i := range imports {
			if under(i, r.path) {
				continue // a room's own subfolders
			}
			of := roomOf(list, i)
			allowed := of != nil && slices.Contains(r.below, of.path)
			if allowed {
				used[r.path+" "+of.path] = true
			}
			if !allowed {
				t.Errorf("%s imports %s, which its row in docs/architecture.md (%s) does not have: move the type, or say why there", pkg, i, r.path)
			}
		}
	}
	for _, r := range list {
		for _, b := range r.below {
			if !used[r.path+" "+b] {
				t.Errorf("docs/architecture.md: %s may import %s, but does not", r.path, b)
			}
		}
	}
}

// The table goes downwards: no room imports one that stands above it.
func TestImportsGoDown(t *testing.T) {
	list := rooms(t)
	for i, r := range list {
		for _, b := range r.below {
			at := slices.IndexFunc(list, func(o room) bool { return o.path == b })
			require.GreaterOrEqual(t, at, 0, "%s: no row of the table", b)
			require.Greater(t, at, i, "%s imports %s, which stands above it", r.path, b)
		}
	}
}
