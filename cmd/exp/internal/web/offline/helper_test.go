package offline_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/runs"
)

// trained is the model of a small run of an experiment.
func trained(t testing.TB, words string) (*runs.Run, *infer.Trained) {
	t.Helper()
	w := strings.Fields(words)
	run, _ := testmodel.Train(t, w[0], w[1:]...)
	m := must.Get(infer.Read(run))(t)
	return run, m
}

// onPage is a run as a page has it.
func onPage(run *runs.Run, m *infer.Trained) offline.Run {
	r := offline.Run{Trained: m, Folder: run}
	if m.Table != nil {
		r.Of = len(m.Table.Words) - 1
	}
	return r
}

// show writes a page and opens it from the disk, as a reader does.
func show(t *testing.T, p *offline.Page) *testbrowser.Tab {
	t.Helper()
	address := written(t, p)
	b := testbrowser.Open(t, 30*time.Minute)
	b.To(address)
	b.Sees("true", `document.body.hasAttribute("data-ready")`)
	return b
}

// numbers has the page load the models of all its runs. It returns the number of each in the page's program, where
// they are in the order in which they were first asked.
func numbers(t *testing.T, p *offline.Page, b *testbrowser.Page) []int {
	t.Helper()
	b.JS(`document.getElementById("all").click()`)
	asked := func(n int, field string) string {
		return fmt.Sprintf(`imdbexp.ask(%d, '{"text": "the"}').%s`, n, field)
	}
	b.Sees("true", asked(len(p.Runs)-1, "error === undefined"))
	out := make([]int, len(p.Runs))
	for n := range p.Runs {
		var a ask.Answer
		require.NoError(t, json.Unmarshal([]byte(b.Text(asked(n, "value"))), &a))
		out[slices.IndexFunc(p.Runs, func(r offline.Run) bool { return r.Label() == a.Run })] = n
	}
	return out
}

// written writes a page and returns its address on the disk.
func written(t *testing.T, p *offline.Page) string {
	t.Helper()
	if os.Getenv("EXP_CI") == "" {
		t.Skip("compiles inference to WebAssembly: EXP_CI=1 does")
	}
	program := must.Get(offline.Find(t.Context()))(t)
	path := filepath.Join(t.TempDir(), "page.html")
	f := must.Get(os.Create(path))(t)
	require.NoError(t, p.Write(f, program))
	require.NoError(t, f.Close())
	return "file://" + filepath.ToSlash(path)
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer testbrowser.Close()
	return m.Run()
}
