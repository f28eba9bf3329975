package web_test

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/runs"
)

// unseen commits an epoch without a look at test, as test=last does.
func (w *writing) unseen() {
	w.t.Helper()
	w.epochs++
	m := runs.Metrics{Epoch: w.epochs, TrainLoss: runs.Number(0.5), TrainAcc: runs.Number(90)}
	require.NoError(w.t, w.Epoch(m, runs.Timing{Epoch: w.epochs}, nil, &runs.Checkpoint{Epoch: w.epochs}, false))
}

// With test=last the only test results come at the end, for an epoch that is there
// already: they are in the table, the comparison and on the curves.
func TestTestedLast(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple", "test=last", "epochs=2")
	w.unseen()
	w.unseen()
	s := start(t, dir)
	rows := s.Rows("")
	require.Len(t, rows, 1)
	at := column(t, "test_acc")
	assert.Equal(t, "–", rows[0].Cells[at].Text)

	require.NoError(t, w.Tested(runs.Metrics{Epoch: 2, TestLoss: runs.Number(0.4), TestAcc: runs.Number(81.5)}))
	w.finish()
	time.Sleep(20 * time.Millisecond)
	rows = s.Rows("")
	assert.Equal(t, "81.50", rows[0].Cells[at].Text)
	assert.Empty(t, rows[0].Notes)
	query := "?run=" + url.QueryEscape(w.key)
	d := get[web.Detail](t, s.Handler(), "/api/run"+query)
	require.Len(t, d.Metrics, 2)
	assert.Nil(t, d.Metrics[0].TestAcc)
	assert.Equal(t, 81.5, *d.Metrics[1].TestAcc)
	c := get[beside.Comparison](t, s.Handler(), "/api/compare"+query)
	assert.Contains(t, c.Results, beside.Line{Name: "test accuracy (%)", Values: []string{"81.50"}})

	require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(w.key), "test.json")))
	rows = start(t, dir).Rows("")
	require.Len(t, rows[0].Notes, 1)
	assert.Contains(t, rows[0].Notes[0], "test.json")
	assert.Equal(t, 2, rows[0].Epoch, "what else is there is good")
}

// They come to a page that has those epochs already.
func TestBrowserTestedLast(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple", "test=last", "epochs=2")
	w.unseen()
	w.unseen()
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("2", points(w.key, "train"))
	b.Sees("undefined", points(w.key, "test"))
	require.NoError(t, w.Tested(runs.Metrics{Epoch: 2, TestLoss: runs.Number(0.4), TestAcc: runs.Number(81.5)}))
	w.finish()
	b.Sees("1", points(w.key, "test"))
	b.Sees("2", points(w.key, "train"))
}
