package docs_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// size is how much Go a room holds, or may hold.
type size struct{ lines, bytes int }

// budgets reads the table "Budget" of docs/architecture.md. A row may name several rooms;
// "all" and "tests" are totals.
func budgets(t *testing.T) map[string]size {
	text, err := os.ReadFile("architecture.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## Budget\n")
	require.True(t, ok)
	out := map[string]size{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			continue
		}
		lines, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil {
			continue // the heading
		}
		kB, err := strconv.Atoi(strings.TrimSpace(cells[2]))
		require.NoError(t, err)
		out[strings.Join(code("`"+strings.Trim(cells[0], " `")+"`"), " ")] = size{lines, kB * 1000}
	}
	return out
}

// slack is what a room may hold above its row, so that a newcomer can add a model, an op or a
// figure by its recipe. Whoever lowers the rows again makes room for it.
var slack = size{200, 8000}

// Every room keeps to its row of the budget, and so do the program and its tests as a whole.
func TestBudget(t *testing.T) {
	allowed := budgets(t)
	list, err := exec.Command("git", "-C", "..", "ls-files", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil {
		t.Skip("not a git checkout, which knows the files that count")
	}
	used := map[string]size{}
	add := func(room string, s size) {
		used[room] = size{used[room].lines + s.lines, used[room].bytes + s.bytes}
	}
	for path := range strings.FieldsSeq(string(list)) {
		text, err := os.ReadFile("../" + path)
		if os.IsNotExist(err) {
			continue // deleted, not committed yet
		}
		require.NoError(t, err)
		s := size{strings.Count(string(text), "\n"), len(text)}
		if strings.HasSuffix(path, "_test.go") || under(path, testkit) {
			add("tests", s)
			continue
		}
		add(roomOfFile(t, allowed, path), s)
		add("all", s)
	}
	for room, s := range used {
		limit := allowed[room]
		t.Logf("%-30s %6d of %6d lines, %7d of %7d bytes", room, s.lines, limit.lines, s.bytes, limit.bytes)
		if s.lines > limit.lines+slack.lines || s.bytes > limit.bytes+slack.bytes {
			t.Errorf("%s is over its budget in docs/architecture.md: make room, or raise the row and say why", room)
		}
	}
}

// roomOfFile returns the row of the budget with the longest path that holds the file.
func roomOfFile(t *testing.T, allowed map[string]size, path string) string {
	var best, row string
	for names := range allowed {
		for folder := range strings.FieldsSeq(names) {
			if under(path, folder) && len(folder) > len(best) {
				best, row = folder, names
			}
		}
	}
	require.NotEmpty(t, row, "%s belongs to no room of the budget in docs/architecture.md", path)
	return row
}
