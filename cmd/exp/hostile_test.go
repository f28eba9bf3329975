package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// hostile would hide what follows, in two ways, turn it around, write over the line,
// begin another one that looks like the program's, and ring.
const hostile = "x\x1b[8m\u009b8m\u202e\rexp: all is well\nFORGED\x07"

// styled matches the escape sequences that the program itself sends to a terminal.
var styled = regexp.MustCompile(`\x1b\[(0|1|2|4|38;5;16;48;5;\d+|38;2;0;0;0;48;2;\d+;\d+;\d+)m`)

// frames is what draws progress bars.
var frames = regexp.MustCompile(`\r(\x1b\[\d+A\x1b\[J)?`)

var controlling = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u2028-\u202e\u2066-\u2069]|(?m:^FORGED)")

// calm checks that a command's output controls nothing.
func calm(t *testing.T, what string, args ...string) {
	t.Helper()
	var out output
	call(t.Context(), &out, 80, true, args...)
	assert.NotContains(t, out.String(), "\rexp:", "%s: exp %q", what, args)
	text := frames.ReplaceAllString(styled.ReplaceAllString(out.String(), ""), "")
	assert.NotRegexp(t, controlling, text, "%s: exp %q: %q", what, args, controlling.FindString(text))
	assert.NotContains(t, text, "mistake in exp", "%s: exp %q", what, args)
}

// TestHostileRunFolders puts hostile text into each field of a run's folder in turn and
// looks at the run with every command that reads runs.
func TestHostileRunFolders(t *testing.T) {
	dir, flags := folders(t)
	ok(t, append(flags, "run", "tme9-simple", "vectors=random", "epochs=1", "data.limit=20")...)
	found := must.Get(filepath.Glob(filepath.Join(dir, "*", "*", "config.yaml")))(t)
	require.Len(t, found, 1)
	run := filepath.Dir(found[0])
	commands := [][]string{
		{"show", run}, {"runs", "list"}, {"report"}, {"compare", run, run}, {"attend", run, "a great film"}, {"predict", run, "data=sample"},
		{"run", filepath.Join(run, "config.yaml"), "--dry-run"},
	}
	try := func(what string, all bool) {
		for i, c := range commands {
			if all || i < 1 {
				calm(t, what, append(c, flags...)...)
			}
		}
	}
	change := func(name string, fields func([]byte) (map[string][]byte, error)) {
		path := filepath.Join(run, name)
		kept := must.Get(os.ReadFile(path))(t)
		changed := must.Get(fields(kept))(t)
		require.NotEmpty(t, changed, name)
		for field, b := range changed {
			require.NoError(t, os.WriteFile(path, b, 0o666))
			try(name+" "+field, shown.MatchString(field))
		}
		require.NoError(t, os.WriteFile(path, kept, 0o666))
	}
	change("config.yaml", hostileYAML)
	change("environment.json", hostileJSON)
	for _, name := range []string{"metrics.jsonl", "timing.jsonl", "entropy.jsonl", "predictions.tsv"} {
		change(name, func(b []byte) (map[string][]byte, error) {
			return map[string][]byte{
				"begun": append([]byte(hostile), b...), "ended": append(b, hostile...),
				"inside": bytes.Replace(b, []byte(`:`), []byte(`\u001b[8m\u202e":`+hostile), 1), "field": bytes.ReplaceAll(b, []byte("neg"), []byte("x\x1b[8m\u202e")),
			}, nil
		})
	}

	odd := filepath.Join(dir, hostile, hostile)
	require.NoError(t, os.Mkdir(filepath.Dir(odd), 0o777))
	require.NoError(t, os.Rename(run, odd))
	run = odd
	for i := range commands {
		for k, word := range commands[i] {
			if filepath.Dir(word) == filepath.Dir(found[0]) || word == filepath.Dir(found[0]) {
				commands[i][k] = odd
			}
		}
	}
	commands = commands[:len(commands)-1] // a file named by its user may have any name
	try("folder", true)
	calm(t, "folder", append([]string{"run", hostile}, flags...)...)
	calm(t, "folder", append([]string{"run", "tme9-lstm", hostile + "=1"}, flags...)...)
	calm(t, "folder", append([]string{"reproduce", odd}, flags...)...)
	calm(t, "folder", append([]string{"runs", "rm", odd}, flags...)...)
	calm(t, "command", hostile)
}

// shown are fields that every command has to do with.
var shown = regexp.MustCompile(`^(variant|model|classes|name|row|note|data|optimizer|lr|begun|ended|inside|field)( in line \d+)?$`)

// yamlLine matches a line with a key, and perhaps a scalar.
var yamlLine = regexp.MustCompile(`^([ -]*)([\w.]+):( ?)(.*)$`)

// hostileYAML returns the file with each scalar, and each key, made hostile.
func hostileYAML(b []byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	lines := strings.Split(string(b), "\n")
	for i, line := range lines {
		m := yamlLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		put := func(what, line string) {
			changed := slices.Clone(lines)
			changed[i] = line
			out[what] = []byte(strings.Join(changed, "\n"))
		}
		put(fmt.Sprintf("%s in line %d (key)", m[2], i+1), fmt.Sprintf("%s%q:%s%s", m[1], m[2]+hostile, m[3], m[4]))
		if m[4] != "" {
			put(fmt.Sprintf("%s in line %d", m[2], i+1), fmt.Sprintf("%s%s: %q", m[1], m[2], strings.Trim(m[4], `"`)+hostile))
		}
	}
	return out, nil
}

// hostileJSON returns the file with each text made hostile.
func hostileJSON(b []byte) (map[string][]byte, error) {
	text, err := json.Marshal(hostile)
	if err != nil {
		return nil, err
	}
	text = text[1 : len(text)-1]
	out := map[string][]byte{}
	for _, at := range regexp.MustCompile(`"[^"]*"`).FindAllIndex(b, -1) {
		out[string(b[at[0]:at[1]])] = append(append(append([]byte(nil), b[:at[1]-1]...), text...), b[at[1]-1:]...)
	}
	return out, nil
}

// TestHostileData does the same with texts, labels, names and words of vectors.
func TestHostileData(t *testing.T) {
	_, flags := folders(t)
	dir := t.TempDir()
	word := strings.NewReplacer(" ", "", "\n", "", "\r", "").Replace(hostile)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	numbers := strings.Repeat(" 1.5", 10)
	rows := func(label string) string {
		out := "id,text,label\n"
		for i := range 40 {
			out += fmt.Sprintf("\"%s%d\",\"%s film %d\",\"%s\"\n", hostile, i, hostile, i, []string{label, "pos"}[i%2])
		}
		return out
	}
	data, vec := write("data.csv", rows("neg")), write(word+".vec", word+numbers+"\nking"+numbers+"\n\u202eqx"+numbers+"\n")
	for _, c := range [][]string{
		{"data", "add", write("labels.csv", rows(hostile)), "--name", "no"}, {"data", "add", write("turned.csv", rows("x\u202e")), "--name", "turned"},
		{"data", "add", data, "--name", "odd"}, {"data", "info", "odd"}, {"data", "list"}, {"data", "check"},
		{"run", "tme9-simple", "data=odd", "vectors=random", "epochs=1"}, {"show", "@last"}, {"runs", "list"}, {"report"},
		{"predict", "@last", data}, {"predict", "@last", "data=odd"}, {"attend", "@last"}, {"attend", "@last", hostile}, {"attend", "@last", "--words"},
		{"compare", "@last", "@last"}, {"reproduce", "@last"},
		{"data", "add", vec, "--name", "oddvec"}, {"data", "neighbors", vec, "king"}, {"data", "neighbors", vec, word}, {"data", "info", vec},
	} {
		calm(t, "data", append(c, flags...)...)
	}
}
