package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/runs"
)

// writing is a run that a test writes, epoch by epoch.
type writing struct {
	*runs.Writer
	t      testing.TB
	key    string
	epochs int
}

var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// begin starts a run of 5 epochs, one that translates by a name of that family; each
// is begun an hour after the one before.
func begin(t testing.TB, dir, name string, assignments ...string) *writing {
	t.Helper()
	set := must.Get(settings.New(new(settings.Run), new(struct {
		Pad   bool `key:"slip.pad"`
		Slots bool `key:"slip.batch_slot_norm"`
	})))(t)
	require.NoError(t, set.Apply("experiment", "data=sample", "epochs=5"))
	require.NoError(t, set.Apply("command line", assignments...))
	c := runs.NewConfig(name, "simple", 1, set, map[string]string{"data": "1234"})
	c.Classes = []string{"neg", "pos"}
	c.Data = runs.DataFacts{Name: c.Setting("data"), Train: runs.Part{Reviews: 100, Words: 2000}, Test: runs.Part{Reviews: 100, Words: 2000}}
	if strings.HasPrefix(name, "seq2seq") {
		c.Classes, c.Data.Kind = nil, runs.PairsKind
	}
	begun = begun.Add(time.Hour)
	w := must.Get(runs.Create(dir, c, runs.Environment{Started: begun}))(t)
	t.Cleanup(func() { w.Close() })
	return &writing{w, t, c.Name + "/" + c.ID, 0}
}

// epoch commits one more epoch with this accuracy on test.
func (w *writing) epoch(accuracy float64) {
	w.t.Helper()
	w.epochs++
	e := float64(w.epochs)
	m := runs.Metrics{Epoch: w.epochs, TrainLoss: new(1 / e), TrainAcc: new(90.0), TestLoss: new(0.5 + e/100),
		TestAcc: new(accuracy), TrainEntropy: new(3.0), TestEntropy: new(2.5)}
	var h []runs.Histogram
	for _, split := range []string{"train", "test"} {
		h = append(h, runs.NewHistogram(w.epochs, split, []float32{2, 2.1, 3}))
	}
	c := &runs.Checkpoint{Epoch: w.epochs}
	require.NoError(w.t, w.Epoch(m, runs.Timing{Epoch: w.epochs}, h, c, false))
}

// untested commits an epoch that is not evaluated on the test set, as test=last does, with a validation accuracy and
// loss if there are any.
func (w *writing) untested(valid ...float64) *writing {
	w.t.Helper()
	w.epochs++
	m := runs.Metrics{Epoch: w.epochs, TrainLoss: new(0.5), TrainAcc: new(90.0)}
	if len(valid) > 0 {
		m.ValidAcc = &valid[0]
	}
	if len(valid) > 1 {
		m.ValidLoss = &valid[1]
	}
	require.NoError(w.t, w.Epoch(m, runs.Timing{Epoch: w.epochs}, nil, &runs.Checkpoint{Epoch: w.epochs}, false))
	return w
}

// finish trains to the end.
func (w *writing) finish(accuracies ...float64) *writing {
	w.t.Helper()
	for _, a := range accuracies {
		w.epoch(a)
	}
	require.NoError(w.t, w.Finish(&runs.Predictions{Classes: []string{"neg", "pos"}}))
	require.NoError(w.t, w.Close())
	return w
}

// trained is the folder of two tiny runs on the embedded sample, made once.
var trained = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(shared, "trained")
	if err != nil {
		return "", err
	}
	pool := ops.NewPool(1)
	defer pool.Close()
	r := &training.Runner{Dir: dir, Pool: pool, Loader: &task.Loader{Dir: filepath.Join(shared, "data"), Workers: 2}}
	for _, words := range [][]string{
		{"tme9-simple", "epochs=2", "data.limit=20", "vectors=random"},
		{"tme10-cls", "epochs=1", "data.limit=20", "vectors=random", "layers=2", "heads=2"},
		{"nbsvm", "data.limit=20"},
		{"seq2seq-transformer", "data.limit=24", "epochs=2", "layers=1"},
	} {
		plans, err := plan.Resolve(background, words, "sample")
		if err != nil {
			return "", err
		}
		if _, err := r.Run(background, plans[0], training.Hooks{}); err != nil {
			return "", err
		}
	}
	return dir, nil
})

// copyTrained copies those runs to a folder of the test's own.
func copyTrained(t testing.TB) string {
	t.Helper()
	from := must.Get(trained())(t)
	dir := filepath.Join(t.TempDir(), "runs")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

// keyOf returns NAME/ID of the only run of a name.
func keyOf(t testing.TB, dir, name string) string {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(dir, name, "*")))(t)
	require.Len(t, found, 1)
	return name + "/" + filepath.Base(found[0])
}

// start returns a server of a folder, which scans it at most every 20 ms.
func start(t testing.TB, dir string, change ...func(*web.Options)) *web.Server {
	t.Helper()
	o := web.Options{Dir: dir, Every: 20 * time.Millisecond, Log: t.Logf, Workers: 1}
	for _, f := range change {
		f(&o)
	}
	s := must.Get(web.New(o))(t)
	t.Cleanup(s.Close)
	return s
}

// request posts a question, JSON, to a path under /api/; an empty path and question get the page.
func request(h http.Handler, path, question string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	method, url := "POST", "http://localhost/"
	if path != "" {
		url += "api/" + path
	} else if question == "" {
		method = "GET"
	}
	r := httptest.NewRequest(method, url, strings.NewReader(question))
	r.Header.Set("Content-Type", "application/json")
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// get puts a question that must be answered.
func get[T any](t testing.TB, h http.Handler, path string, question any) T {
	t.Helper()
	w := request(h, path, body(t, question))
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return parse[T](t, w)
}

func parse[T any](t testing.TB, w *httptest.ResponseRecorder) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

// refused is what a refusal says.
func refused(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	return parse[map[string]string](t, w)["error"]
}

// damage overwrites a file of a run.
func damage(t testing.TB, dir, key, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(key), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
}

// What the tests share: a folder, and a context that outlives each of them.
var (
	shared     string
	background = context.Background()
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if shared, err = os.MkdirTemp("", "web"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared)
	defer testbrowser.Close()
	return m.Run()
}
