package docs_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
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
	for _, r := range published.IMDB() {
		require.Regexp(t, fmt.Sprintf(`\| (\d+\. )?%s: %s +\| +%.2f`, r.Paper, r.Model, r.Accuracy), string(text))
	}
}

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

var colour = regexp.MustCompile(`^(none|currentColor|white|black|#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6})$`)

// Every drawing has colours that readers other than browsers know: no CSS variables, no numbers out
// of range. In CI librsvg draws it, too.
func TestDrawingsForAnyReader(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.svg", "*/*.svg"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 30)
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		d := xml.NewDecoder(f)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, file)
			element, is := token.(xml.StartElement)
			if !is {
				continue
			}
			for _, a := range element.Attr {
				values := map[string]string{a.Name.Local: a.Value}
				if a.Name.Local == "style" {
					for part := range strings.SplitSeq(a.Value, ";") {
						key, value, _ := strings.Cut(part, ":")
						values[strings.TrimSpace(key)] = strings.TrimSpace(value)
					}
				}
				for _, key := range []string{"fill", "stroke", "stop-color"} {
					if value, has := values[key]; has {
						assert.Regexp(t, colour, value, "%s: <%s %s=%q>", file, element.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
		f.Close()
		if os.Getenv("EXP_CI") != "" {
			out, err := exec.Command("rsvg-convert", "--width=400", "-o", filepath.Join(t.TempDir(), "x.png"), file).CombinedOutput()
			assert.NoError(t, err, "%s: %s", file, out)
			assert.Empty(t, string(out), file)
		}
	}
}

// printing is what would go to the terminal past internal/term, or make styles of its own.
var printing = regexp.MustCompile(`\bos\.Std(out|err)\b|\bfmt\.Print(f|ln)?\(|\blog\.(Print|Fatal|Panic)|\\x1b|\\033|\\u001b`)

// No part of the program but internal/term writes to the terminal.
func TestOneWayToTheTerminal(t *testing.T) {
	outside := []string{"../internal/term/", "../internal/simd/", "../scripts/", "../cmd/exp/internal/web/offline/embed/"} // generators and tools are no part of it
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, o := range outside {
			if strings.HasPrefix(path, o) {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if code, _, _ := strings.Cut(line, "//"); printing.MatchString(code) {
				assert.Fail(t, "prints past internal/term", "%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	}))
}
