package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs/published"
)

var (
	link    = regexp.MustCompile(`(?:\]\(|src=")([^)"#\s]*)(#[^)"\s]+)?`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// Every relative link in a document leads to a file and, after #, to a heading of it.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../*.md", "*.md", "*/*.md"} {
		found := must.Get(filepath.Glob(pattern))(t)
		pages = append(pages, found...)
	}
	require.Greater(t, len(pages), 40)
	for _, page := range pages {
		text := must.Get(os.ReadFile(page))(t)
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
				continue
			}
			if m[2] != "" && !anchors(t, target)[m[2][1:]] {
				t.Errorf("%s links to %s%s, a heading that does not exist", page, m[1], m[2])
			}
		}
	}
}

// anchors returns the names by which a page's headings are linked, as GitHub forms them.
func anchors(t *testing.T, page string) map[string]bool {
	text := must.Get(os.ReadFile(page))(t)
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		name := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		out[strings.ReplaceAll(name, " ", "-")] = true
	}
	return out
}

// docs/leaderboard.md has every published row as the program has it.
func TestLeaderboard(t *testing.T) {
	text, err := os.ReadFile("leaderboard.md")
	require.NoError(t, err)
	for _, r := range published.IMDB {
		require.Regexp(t, fmt.Sprintf(`\| (\d+\. )?%s: %s +\| +%.2f`, r.Paper, r.Model, r.Accuracy), string(text))
	}
}
