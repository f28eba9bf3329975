package lesson

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"imdbexp/docs/lessons"
	"imdbexp/internal/testkit/must"
)

// Each paragraph, heading, list, table, caption, hint and result of a prediction is there in French, for the
// English of today, with the same numbers, commands, links and quotations. Code and pictures are the same.
func TestFrench(t *testing.T) {
	files := must.Get(fs.Glob(lessons.Files, "*.md"))(t)
	require.Len(t, files, 11)
	for _, file := range files {
		source := must.Get(fs.ReadFile(lessons.Files, file))(t)
		plain, pairs := translate(string(source), "en")
		require.NotContains(t, plain, "<!-- fr")
		for _, p := range pairs {
			assert.Empty(t, outdated(p), "%s, in the French of\n%s\nIf its French is right, write <!-- fr %s", file, p.english, stamp(p.english))
		}
		en, fr := parse(file, string(source), "en"), parse(file, string(source), "fr")
		english, prose := outline(en)
		french, _ := outline(fr)
		require.Equal(t, english, french, file)
		require.Len(t, pairs, prose+len(hinted.FindAllString(plain, -1))+len(resulted.FindAllString(plain, -1)), "%s: a French text for each English one", file)
	}
}

// What was added to an English text, and what is wrong in a French one, is found.
func TestOutdated(t *testing.T) {
	good := pair{"In 2 000 reviews, \"not\" has 94.3 % (see [lesson 2](2-query.md)): `exp list`!", "", "Dans 2 000 critiques, « not » a 94,3 % (voir la [leçon 2](2-query.md)) : `exp list` !"}
	good.stamp = stamp(good.english)
	require.Empty(t, outdated(good))
	for _, change := range [][2]string{{"94,3", "94,4"}, {"2 000", "200"}, {"exp list", "exp run"}, {"2-query", "3-values"}, {"« not »", "« no »"}, {" !", "!"}, {"`exp list`", "exp list"}} {
		bad := good
		bad.french = strings.Replace(good.french, change[0], change[1], 1)
		require.NotEqual(t, good, bad)
		require.NotEmpty(t, outdated(bad), change)
	}
	good.english += " More."
	require.NotEmpty(t, outdated(good))
}

var (
	codeSpan  = regexp.MustCompile("`[^`]*`")
	quoted    = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|«\x{a0}([^»]+)\x{a0}»`)
	digits    = regexp.MustCompile(`\d+([.,]\d+)?`)
	thousand  = regexp.MustCompile(`(\d)[ \x{a0}](\d{3})\b`)
	unspaced  = regexp.MustCompile(`[^\s\x{a0}][;!?»]|«[^\x{a0}]| [:;!?»%]|\pL'`)
	untouched = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)")
)

// outdated returns what is wrong with a French text, or "".
func outdated(p pair) string {
	if p.stamp != stamp(p.english) {
		return "the English has changed"
	}
	french := typeset(p.french)
	prose := untouched.ReplaceAllString(french, "x")
	if bad := unspaced.FindString(prose); bad != "" {
		return fmt.Sprintf("the spaces or the apostrophe of %q", bad)
	}
	for _, of := range []func(string) []string{
		func(s string) []string { return codeSpan.FindAllString(strings.ReplaceAll(s, " --lang fr", ""), -1) },
		func(s string) []string {
			var out []string
			for _, m := range link.FindAllStringSubmatch(s, -1) {
				out = append(out, m[3])
			}
			return out
		},
		func(s string) []string {
			s = thousand.ReplaceAllString(untouched.ReplaceAllString(s, ""), "$1$2")
			return strings.Fields(strings.ReplaceAll(strings.Join(digits.FindAllString(s, -1), " "), ",", "."))
		},
		func(s string) []string {
			var out []string
			for _, m := range quoted.FindAllStringSubmatch(codeSpan.ReplaceAllString(s, ""), -1) {
				out = append(out, strings.ToLower(m[1]+m[2]+m[3]))
			}
			return out
		},
	} {
		e, f := of(strings.Join(split(p.english), " ")), of(strings.Join(split(french), " "))
		slices.Sort(e)
		slices.Sort(f)
		if !slices.Equal(e, f) {
			return fmt.Sprintf("%q in English, %q in French", e, f)
		}
	}
	return ""
}

// stamp is a digest of the words of an English text.
func stamp(english string) string {
	return fmt.Sprintf("%04x", crc32.ChecksumIEEE([]byte(strings.Join(split(english), " ")))&0xffff)
}

// outline returns the blocks of a lesson, with the code as it is, and the number of those that are prose.
func outline(l *lesson) (out []string, prose int) {
	doc := markdown.Parser().Parse(text.NewReader([]byte(l.linked)))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		what := n.Kind().String()
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			what += tag.FindString(string(n.Lines().Value([]byte(l.linked))))
		case *ast.Heading:
			what += fmt.Sprint(n.Level)
			prose++
		default:
			prose++
			if what != "Paragraph" {
				what += fmt.Sprint(n.ChildCount()) // items, rows
			}
		}
		out = append(out, what)
	}
	return out, prose
}

// tag matches the code of a block, or the tag with which a block of HTML begins.
var tag = regexp.MustCompile(`(?s)^<[!/\w]+|^[^<].*`)

// The table of French texts has those that the program asks for.
func TestFrenchTexts(t *testing.T) {
	files := must.Get(filepath.Glob("*.go"))(t)
	asked := map[string]bool{}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		for _, m := range regexp.MustCompile(`\bin\("([^"]+)"\)`).FindAllStringSubmatch(string(text), -1) {
			asked[m[1]] = true
		}
	}
	for key := range french {
		require.True(t, asked[key], "%q is not asked for", key)
		delete(asked, key)
	}
	require.Empty(t, asked)
}

// A notebook has a cell for each command that a reader types, no output, and answers folded. Its format is that of
// nbformat 4.5: checked by nbformat itself where it is installed.
func TestNotebook(t *testing.T) {
	dir := t.TempDir()
	for _, l := range all(t) {
		var out strings.Builder
		require.NoError(t, l.writeNotebook(&out))
		var nb struct {
			Cells []map[string]any
			Of    struct{ Title string } `json:"metadata"`
		}
		require.NoError(t, json.Unmarshal([]byte(out.String()), &nb))
		require.Regexp(t, `^(?:Lesson|Leçon) \d\x{a0}?: `, nb.Of.Title)
		var commands, code []string
		ids, answers := map[any]bool{}, 0
		for _, c := range nb.Cells {
			source := c["source"].(string)
			require.False(t, ids[c["id"]])
			ids[c["id"]] = true
			if c["cell_type"] == "markdown" {
				require.NotContains(t, source, "<!--")
				require.NotContains(t, source, "](img/")
				if strings.Contains(source, "\n$ exp") {
					require.True(t, strings.HasPrefix(source, "<details>"), source)
				}
				if strings.HasPrefix(source, "<details>") && strings.Contains(source, "\n**") {
					answers++
				}
				continue
			}
			require.Equal(t, []any{}, c["outputs"])
			if command, ok := strings.CutPrefix(source, "!"); ok && !strings.HasPrefix(command, "exp lesson") {
				code = append(code, command)
			}
		}
		for _, b := range l.blocks {
			for _, m := range typing.FindAllStringSubmatch(b, -1) {
				commands = append(commands, strings.ReplaceAll(m[1], "'", `"`))
			}
		}
		require.Equal(t, commands, code, l.file)
		require.Len(t, l.exercises, answers, l.file)
		require.NoError(t, os.WriteFile(filepath.Join(dir, l.lang+l.page()), []byte(out.String()), 0o666))
	}
	valid := "import nbformat, sys\nfor f in sys.argv[1:]: nbformat.validate(nbformat.read(f, 4))"
	if err := exec.Command("/usr/bin/python3", "-c", "import nbformat").Run(); err != nil && os.Getenv("EXP_CI") == "" {
		t.Skip("the schema is checked where python3-nbformat is installed")
	}
	files := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	require.Len(t, files, 18)
	message, err := exec.Command("/usr/bin/python3", append([]string{"-c", valid}, files...)...).CombinedOutput()
	require.NoError(t, err, string(message))
}
