package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs/published"
)

// The README fits on a few screens, and its table has every row of the published one.
func TestReadme(t *testing.T) {
	text := string(must.Get(os.ReadFile("../README.md"))(t))
	require.LessOrEqual(t, len(text), 9000)
	rows := 0
	for _, e := range experiments.All() {
		for optimizer, mark := range map[string]string{"adam": "(:[^|]*[^,|]+)?", "sgd": "(:[^|]*)?, SGD"} {
			if p := published.Row(e.Name, optimizer, ""); p != nil {
				rows++
				require.Regexp(t, fmt.Sprintf("(?m)^\\| `%s`%s \\| %v0? \\| [\\d.]+ .*\\| [\\d.]+ ± [\\d.]+ \\|$", e.Name, mark, p.TestAcc), text)
			}
		}
	}
	require.Equal(t, 15, rows)
}

var (
	// aside is what is no paragraph: code, tables, headings, pictures.
	aside  = regexp.MustCompile("(?ms)^```.*?^```$|(?-s:^(    |[|#<!]).*$)")
	block  = regexp.MustCompile(`\n\s*\n|\n[-*] |\n\d+\. `)
	number = regexp.MustCompile(`(^|[^\w.\-])\d`)
	// name holds a digit but is no number: code, the target of a link, figure 2, a year, the end of 25 000, the number of an item.
	name = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|(?i:\\b(TME|Zen|figures?|section|Go) \\d+(, \\d+)*( and \\d+)?)|\\b(19|20)\\d\\d\\b|\\b \\d\\d\\d\\b|^\\d+\\. ")
)

// A page of the guide has at most two screens. A paragraph of the guide, of results and of their
// notes has at most three numbers: more belong into a table.
func TestShortPages(t *testing.T) {
	pages := []string{"../README.md", "results.md", "best.md", "explain.md", "performance.md"}
	for _, pattern := range []string{"guide/*.md", "results/*.md", "explain/*.md", "performance/*.md", "data/*.md"} {
		pages = append(pages, must.Get(filepath.Glob(pattern))(t)...)
	}
	for _, page := range pages {
		if page == filepath.Join("results", "appendix.md") {
			continue // all tables, with their history
		}
		text := string(must.Get(os.ReadFile(page))(t))
		if filepath.Dir(page) == "guide" {
			assert.LessOrEqual(t, strings.Count(text, "\n"), 100, page)
		}
		for _, p := range block.Split(aside.ReplaceAllString(text, ""), -1) {
			found := number.FindAllString(name.ReplaceAllString(strings.TrimSpace(p), ""), -1)
			assert.LessOrEqual(t, len(found), 3, "%s: %s", page, p)
		}
	}
}
