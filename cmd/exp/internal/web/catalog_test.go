package web_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// rowsByState returns the rows of a folder by their states, unfinished ones without an
// epoch as begun; there must be one of each.
func rowsByState(t *testing.T, s *web.Server) map[string]page.Row {
	t.Helper()
	out := map[string]page.Row{}
	for _, r := range s.Rows() {
		state := r.State
		if state == "unfinished" && r.Epoch == 0 {
			state = "begun"
		}
		require.NotContains(t, out, state)
		out[state] = r
	}
	return out
}

// A run stops training when its process does, though no file of it changes.
func TestTrainingEnds(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	s := start(t, dir)
	assert.Contains(t, rowsByState(t, s), "training")
	require.NoError(t, w.Close())
	assert.Eventually(t, func() bool { return len(rowsByState(t, s)["unfinished"].Notes) == 1 }, 10*time.Second, 10*time.Millisecond)
}

// Whatever state a run is in, it has a row, with a note where one is due.
func TestEveryState(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, begin(t, dir, "tme9-simple").Close())
	stopped := begin(t, dir, "tme9-simple", "seed=2")
	stopped.epoch(60)
	begin(t, dir, "tme9-simple", "seed=7").epoch(61)
	begin(t, dir, "tme9-simple", "seed=3").finish(60, 70)
	diverged := begin(t, dir, "tme9-simple", "seed=4")
	diverged.epoch(50)
	require.NoError(t, diverged.Diverged("the loss is NaN in step 7"))
	cut := begin(t, dir, "tme9-simple", "seed=5").finish(60, 65)
	damage(t, dir, cut.key, "last.safetensors", "rubbish")
	unreadable := begin(t, dir, "tme9-simple", "seed=6").finish(60)
	damage(t, dir, unreadable.key, "config.yaml", "format: 1\nnonsense: <b>yes</b>\n")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "notes", "no run"), 0o777))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".store"), 0o777))

	require.NoError(t, stopped.Close())
	s := start(t, dir)
	rows := rowsByState(t, s)
	for state, note := range map[string]string{
		"begun":      "unfinished: no epoch yet",
		"unfinished": "unfinished: 1 of 5 epochs",
		"training":   "training: 1 of 5 epochs",
		"diverged":   "diverged: the loss is NaN in step 7",
		"damaged":    "last.safetensors is damaged",
		"unreadable": `unknown field "nonsense"`,
	} {
		require.Contains(t, rows, state)
		assert.Contains(t, strings.Join(rows[state].Notes, "\n"), note)
	}
	assert.Empty(t, rows["finished"].Notes)
	assert.Equal(t, "70.00", rows["finished"].Cells[8].Text)
	assert.Equal(t, 2, rows["damaged"].Epoch, "its metrics can still be read")
	assert.Equal(t, "65.00", rows["damaged"].Cells[8].Text)
	assert.Len(t, rows, 7)
	assert.True(t, s.Same(), "nothing has changed: nothing is read again")

	older := t.TempDir()
	begin(t, older, "tme9-simple", "slip.batch_slot_norm=true").finish(60)
	assert.Contains(t, rowsByState(t, start(t, older))["finished"].Notes, "older result: version 1, the present one is 2")
}

// Missing lines that the checkpoint counts are noted.
func TestMetricsAreMissing(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple").finish(60, 70)
	line := must.Get(runs.Metrics{Epoch: 1, TestAcc: new(50.0)}.Line())(t)
	damage(t, dir, w.key, "metrics.jsonl", string(line))
	rows := start(t, dir).Rows()
	require.Len(t, rows, 1)
	require.Len(t, rows[0].Notes, 1)
	assert.Regexp(t, `^damaged: tme9-simple/\w+/metrics.jsonl is damaged: \d+ of its \d+ bytes are missing`, rows[0].Notes[0])
	assert.Equal(t, 1, rows[0].Epoch, "what is there is good")
}

// A run that trains changes its row with every epoch; one that is removed goes. A page that knows the version of the
// folder gets no rows.
func TestRunsComeGrowAndGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs") // not there yet
	s := start(t, dir)
	version := 0
	rows := func() []page.Row {
		time.Sleep(20 * time.Millisecond)
		c := get[page.Change](t, s.Handler(), "runs", web.Known{Version: version})
		require.NotEqual(t, version, c.Version)
		version = c.Version
		assert.Empty(t, get[page.Change](t, s.Handler(), "runs", web.Known{Version: version}).Rows)
		return c.Rows
	}
	assert.Empty(t, rows())
	w := begin(t, dir, "tme9-simple")
	require.Len(t, rows(), 1)
	for e := 1; e <= 3; e++ {
		w.epoch(50 + float64(e))
		r := rows()[0]
		assert.Equal(t, e, r.Epoch)
		assert.Equal(t, fmt.Sprintf("%d/5", e), r.Cells[7].Text)
		assert.Equal(t, fmt.Sprintf("5%d.00", e), r.Cells[8].Text)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tme9-simple")))
	assert.Empty(t, rows())
}

// What the user says about a run is in its row as soon as it is written.
func TestRemarks(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple").finish(60)
	s := start(t, dir)
	assert.Empty(t, s.Rows()[0].Notes)
	damage(t, dir, w.key, "remarks.json", `{"note": "too slow", "tags": ["baseline"]}`)
	time.Sleep(20 * time.Millisecond)
	assert.Equal(t, []string{"note: too slow", "tagged: baseline"}, s.Rows()[0].Notes)
}

// copies adds copies of a run to a folder.
func copies(t *testing.T, dir, key string, n int) {
	t.Helper()
	for i := range n {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "copies", fmt.Sprint(i)), os.DirFS(filepath.Join(dir, filepath.FromSlash(key)))))
	}
}

// serve answers on a free port until stop is called, which waits for the end.
func serve(t testing.TB, s *web.Server) (url string, stop func()) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(background)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			assert.NoError(t, err)
		case <-time.After(4 * time.Second): // a browser's connections get a second
			assert.Fail(t, "the server does not end")
		}
	})
	t.Cleanup(stop)
	return "http://" + l.Addr().String(), stop
}
