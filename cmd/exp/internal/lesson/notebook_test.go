package lesson

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A notebook has a cell for each command that a reader types, no output, and answers folded. Its format is that of
// nbformat 4.5: checked by nbformat itself where it is installed.
func TestNotebook(t *testing.T) {
	dir := t.TempDir()
	for _, l := range all(t) {
		var out strings.Builder
		require.NoError(t, l.writeNotebook(&out))
		var nb struct {
			Format int `json:"nbformat"`
			Minor  int `json:"nbformat_minor"`
			Cells  []map[string]any
			Of     struct {
				Title  string
				Kernel map[string]string `json:"kernelspec"`
			} `json:"metadata"`
		}
		decoder := json.NewDecoder(strings.NewReader(out.String()))
		require.NoError(t, decoder.Decode(&nb))
		require.Equal(t, [2]int{4, 5}, [2]int{nb.Format, nb.Minor})
		require.Regexp(t, `^(?:Lesson|Leçon) \d\x{a0}?: `, nb.Of.Title)
		require.Equal(t, "python3", nb.Of.Kernel["name"])
		var commands, code []string
		ids, answers := map[any]bool{}, 0
		for _, c := range nb.Cells {
			source := c["source"].(string)
			require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, c["id"])
			require.False(t, ids[c["id"]])
			ids[c["id"]] = true
			require.Equal(t, map[string]any{}, c["metadata"])
			if c["cell_type"] == "markdown" {
				require.Len(t, c, 4)
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
			require.Equal(t, "code", c["cell_type"])
			require.Len(t, c, 6)
			require.Nil(t, c["execution_count"])
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
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 18)
	message, err := exec.Command("/usr/bin/python3", append([]string{"-c", valid}, files...)...).CombinedOutput()
	require.NoError(t, err, string(message))
}
