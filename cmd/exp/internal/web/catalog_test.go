package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
)

// rowsByState returns the rows of a folder by their states, unfinished ones without an
// epoch as begun; there must be one of each.
func rowsByState(t *testing.T, s *web.Server) map[string]web.Row {
	t.Helper()
	out := map[string]web.Row{}
	for _, r := range s.Rows("") {
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
		assert.NotContains(t, strings.Join(rows[state].Notes, "\n"), dir, "where the folder lies is nobody's business")
	}
	assert.Empty(t, rows["finished"].Notes)
	assert.Equal(t, "70.00", rows["finished"].Cells[column(t, "test_acc")].Text)
	assert.Equal(t, 2, rows["damaged"].Epoch, "its metrics can still be read")
	assert.Equal(t, "65.00", rows["damaged"].Cells[column(t, "test_acc")].Text)
	assert.Len(t, rows, 7)
	assert.True(t, s.Same(), "nothing has changed: nothing is read again")

	older := t.TempDir()
	begin(t, older, "tme9-simple", "slip.batch_slot_norm=true").finish(60)
	assert.Contains(t, rowsByState(t, start(t, older))["finished"].Notes, "older result: version 1, the present one is 2")
}

// Lines that the checkpoint counts but are not there are told.
func TestMetricsAreMissing(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple").finish(60, 70)
	damage(t, dir, w.key, "metrics.jsonl", `{"epoch":1,"test_acc":50}`+"\n")
	rows := start(t, dir).Rows("")
	require.Len(t, rows, 1)
	require.Len(t, rows[0].Notes, 1)
	assert.Regexp(t, `^damaged: tme9-simple/\w+/metrics.jsonl: \d+ of its \d+ bytes are missing`, rows[0].Notes[0])
	assert.Equal(t, 1, rows[0].Epoch, "what is there is good")
}

// A run that trains changes its row with every epoch; one that is removed goes.
func TestRunsComeGrowAndGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs") // not there yet
	s := start(t, dir)
	look := func() []web.Row { time.Sleep(20 * time.Millisecond); return s.Rows("") }
	assert.Empty(t, look())
	w := begin(t, dir, "tme9-simple")
	require.Len(t, look(), 1)
	for e := 1; e <= 3; e++ {
		w.epoch(50 + float64(e))
		r := look()[0]
		assert.Equal(t, e, r.Epoch)
		assert.Equal(t, fmt.Sprintf("%d/5", e), r.Cells[column(t, "epoch")].Text)
		assert.Equal(t, fmt.Sprintf("5%d.00", e), r.Cells[column(t, "test_acc")].Text)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tme9-simple")))
	assert.Empty(t, look())
}

// Links are not followed: they could lead anywhere.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	w := begin(t, outside, "tme9-simple").finish(61)
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("password: 1234\n"), 0o666))
	dir := t.TempDir()
	inside := begin(t, dir, "tme9-mean").finish(62)
	if err := os.Symlink(filepath.Join(outside, "tme9-simple"), filepath.Join(dir, "tme9-simple")); err != nil {
		t.Skip("no links here:", err)
	}
	require.NoError(t, os.Symlink(filepath.Join(outside, filepath.FromSlash(w.key)), filepath.Join(dir, "tme9-mean", "linked")))
	folder := filepath.Join(dir, "tme9-mean", "folder")
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(dir, filepath.FromSlash(inside.key)))))
	require.NoError(t, os.Remove(filepath.Join(folder, "config.yaml")))
	require.NoError(t, os.Symlink(secret, filepath.Join(folder, "config.yaml")))

	s := start(t, dir)
	rows := s.Rows("")
	require.Len(t, rows, 2)
	byKey := map[string]web.Row{rows[0].Key: rows[0], rows[1].Key: rows[1]}
	assert.Equal(t, "finished", byKey[inside.key].State)
	assert.Equal(t, []string{"damaged: config.yaml is no ordinary file: it is not read"}, byKey["tme9-mean/folder"].Notes)
	assert.NotContains(t, request(s.Handler(), "GET", "/?run=tme9-mean/folder", "").Body.String(), "1234")

	query := "?run=" + url.QueryEscape(inside.key)
	for _, name := range []string{"test.json", "translations.tsv"} { // put there since
		link := filepath.Join(dir, filepath.FromSlash(inside.key), name)
		require.NoError(t, os.Symlink(secret, link))
		for _, path := range []string{"/api/run", "/api/entropy", "/figure.svg"} {
			w := request(s.Handler(), "GET", path+query+"&kind=curves", "")
			assert.Equal(t, http.StatusUnprocessableEntity, w.Code, path)
			assert.Contains(t, refused(t, w), name+" is no ordinary file")
		}
		assert.Empty(t, get[beside.Comparison](t, s.Handler(), "/api/compare"+query).Runs)
		w := request(s.Handler(), "POST", "/api/predict", body(t, ask.Question{Run: inside.key, Text: "good"}))
		assert.Contains(t, refused(t, w), name+" is no ordinary file")
		require.NoError(t, os.Remove(link))
	}
}

// Hundreds of runs are read once; a look at them when nothing has changed is
// cheap.
func TestHundredsOfRuns(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple").finish(60, 70)
	copies(t, dir, w.key, 300)
	s := start(t, dir)
	assert.Len(t, s.Rows(""), 301)
	assert.Len(t, s.Rows("q=copies/7"), 11)
	assert.True(t, s.Same())
}

// copies adds copies of a run to a folder.
func copies(t *testing.T, dir, key string, n int) {
	t.Helper()
	files := os.DirFS(filepath.Join(dir, filepath.FromSlash(key)))
	for i := range n {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "copies", fmt.Sprint(i)), files))
	}
}

// Of more runs than a page has, the page and the events have a page's rows and what was
// chosen.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	chosen := begin(t, dir, "tme9-lstm").finish(60, 70)
	copies(t, dir, begin(t, dir, "tme9-simple").finish(60).key, web.PageRows+10)
	s := start(t, dir)
	url, _ := serve(t, s)
	rows := func(query string) int {
		return strings.Count(request(s.Handler(), "GET", "/"+query, "").Body.String(), `name="run"`)
	}
	assert.Equal(t, web.PageRows, rows(""))
	assert.Equal(t, 12, rows("?page=2"))
	assert.Equal(t, 12, rows("?page=99"), "the last")
	assert.Contains(t, request(s.Handler(), "GET", "/?q=simple", "").Body.String(), "1–200 of 211 of 212 runs")
	assert.Equal(t, 1, rows("?q=lstm&page=7"))
	assert.Equal(t, web.PageRows, rows("?page=-1"))
	text := request(s.Handler(), "GET", "/?page=2&sort=name&run=", "").Body.String()
	assert.Contains(t, text, "201–212 of 212 runs")
	assert.Contains(t, text, `href="/?run=&amp;sort=name"`, "the page before")

	c, err := stream(t, url, "run="+chosen.key)()
	require.NoError(t, err)
	assert.Len(t, c.Rows, web.PageRows+1)
	assert.Len(t, c.Order, web.PageRows)
	assert.Equal(t, []string{chosen.key}, c.Kept)
	assert.Equal(t, []any{false, 1, 2}, []any{c.Whole, c.Page, c.Pages})
	c, err = stream(t, url, "q=lstm")()
	require.NoError(t, err)
	assert.Equal(t, []string{chosen.key}, c.Order)
	assert.Equal(t, "1 of 212 runs", c.Count)
	w := begin(t, dir, "tme9-lstm", "seed=2")
	next := stream(t, url, "q=lstm")
	c, err = next()
	require.NoError(t, err)
	if len(c.Order) == 1 { // as the folder was when it was last looked at, less than a second ago
		c, err = next()
		require.NoError(t, err)
	}
	assert.Equal(t, []string{w.key, chosen.key}, c.Order)
	w.epoch(50)
	c, err = next()
	require.NoError(t, err)
	require.Len(t, c.Rows, 1, "only what has changed")
	assert.Equal(t, w.key, c.Rows[0].Key)
}
