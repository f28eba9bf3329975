package handout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/runs"
)

// trained is the model of a small run of an experiment.
func trained(t testing.TB, words string) (*runs.Run, *infer.Trained) {
	t.Helper()
	w := strings.Fields(words)
	run, _ := testmodel.Train(t, w[0], w[1:]...)
	m, err := infer.Read(run)
	require.NoError(t, err)
	return run, m
}

// onPage is a model as a page has it.
func onPage(m *infer.Trained) handout.Run {
	r := handout.Run{Trained: m, About: "default settings", Citation: "imdbexp:" + m.Label()[:len(m.Label())-6] + "@12345678"}
	if m.Table != nil {
		r.Of = len(m.Table.Words) - 1
	}
	return r
}

// show writes a page and opens it from the disk, as a reader does.
func show(t *testing.T, p *handout.Page) *testbrowser.Tab {
	t.Helper()
	address := written(t, p)
	b := testbrowser.Open(t, 30*time.Minute)
	b.To(address)
	b.Sees("true", `document.body.hasAttribute("data-ready")`)
	return b
}

// written writes a page and returns its address on the disk.
func written(t *testing.T, p *handout.Page) string {
	t.Helper()
	if os.Getenv("EXP_CI") == "" {
		t.Skip("compiles inference to WebAssembly: EXP_CI=1 does")
	}
	program, err := handout.Find(t.Context())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, p.Write(f, program))
	require.NoError(t, f.Close())
	return "file://" + filepath.ToSlash(path)
}
