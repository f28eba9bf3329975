package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
)

// A paper, as comments name it: the last of its authors' names before the year.
var paper = regexp.MustCompile(`\b([A-Z][\pL-]+)(?: et al\.)?,? \(?((?:19|20)\d\d)\b`)

// Not papers.
var dates = regexp.MustCompile(`^(January|February|March|April|May|June|July|August|September|October|November|December|RFC|Windows|Unicode|Go|In)$`)

// docs/sources.md names every experiment of the report, and every paper that the code does.
func TestSources(t *testing.T) {
	data, err := os.ReadFile("sources.md")
	require.NoError(t, err)
	text := string(data)
	for _, e := range experiments.All() {
		if strings.HasPrefix(e.Group, "tme") { // of the published report
			require.Contains(t, text, "`"+e.Name+"`")
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	found := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for p := range papers(string(code)) {
			found++
			name, year, _ := strings.Cut(p, " ")
			listed := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b[^;|.]{0,40}\b` + year)
			require.True(t, listed.MatchString(strings.ReplaceAll(text, "et al.", "et al")), "%s names %s, docs/sources.md does not", path, p)
		}
		return nil
	}))
	require.Greater(t, found, 50)
}

// papers returns "Name year" of the papers that a text names, also over the end of a line.
func papers(text string) map[string]bool {
	text = regexp.MustCompile(`\s*\n\s*(//)?\s*`).ReplaceAllString(text, " ")
	out := map[string]bool{}
	for _, m := range paper.FindAllStringSubmatch(text, -1) {
		if !dates.MatchString(m[1]) {
			out[m[1]+" "+m[2]] = true
		}
	}
	return out
}
