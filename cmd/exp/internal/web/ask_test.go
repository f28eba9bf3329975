package web_test

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/testkit/must"
)

func body(t testing.TB, v any) string {
	t.Helper()
	b := must.Get(json.Marshal(v))(t)
	return string(b)
}

// A bag-of-n-grams model answers with the contribution of each n-gram.
func TestPredictCounted(t *testing.T) {
	dir := copyTrained(t)
	h := start(t, dir).Handler()
	const text = "the film is not good xyzzy"
	key := keyOf(t, dir, "nbsvm")
	w := request(h, "ask", body(t, ask.Question{Run: key, Text: text}))
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	a := parse[ask.Answer](t, w)
	require.Nil(t, a.Attention)
	require.NotNil(t, a.Explained)
	require.Equal(t, a.Class == 1, a.Explained.Score > 0)
	require.Equal(t, a.Classes, []string{a.Explained.Below, a.Explained.Above})
	require.NotEmpty(t, a.Explained.Terms)
	bias, sum, whole := a.Explained.Bias, a.Explained.Bias, ""
	for _, p := range a.Pieces {
		sum += p.Says
		whole += p.Text
	}
	assert.InDelta(t, a.Explained.Score, sum, 1e-6)
	assert.Equal(t, text, whole)
	assert.True(t, a.Pieces[len(a.Pieces)-1].Unknown)
	assert.Contains(t, a.Scores, ask.Scoring{Name: scores.SHAP, Title: "Shapley value"})

	a = parse[ask.Answer](t, request(h, "ask", body(t, ask.Question{Run: key, Text: text, By: scores.SHAP, Flip: true})))
	require.Nil(t, a.Explained)
	require.NotNil(t, a.Scored)
	assert.InDelta(t, math.Abs(sum-bias), math.Abs(a.Scored.Sum), 1e-6, "both share out the same sum")
	assert.Regexp(t, `^(Without ".* the answer is (neg|pos)|No change)`, a.Flip)
	assert.Empty(t, a.Lacks)
	a = parse[ask.Answer](t, request(h, "ask", body(t, ask.Question{Run: key, Text: strings.Repeat("good ", 101), By: scores.LIME, Flip: true})))
	require.Len(t, a.Lacks, 2)
	assert.Contains(t, a.Lacks[1], "at most 40 words")
}

// Of self-attention each layer, head and word can be looked at.
func TestPredictLooks(t *testing.T) {
	dir := copyTrained(t)
	h := start(t, dir).Handler()
	q := ask.Question{Run: keyOf(t, dir, "tme10-cls"), Text: "the film is good", Layer: 2, Head: 1, Word: "2"}
	a := get[ask.Answer](t, h, "ask", q)
	assert.Equal(t, []int{2, 2}, a.Heads)
	assert.Equal(t, `what word 2, "film", looks at in layer 2 of 2, head 1 of 2`, a.Attention.What)
	q.Layer = 3
	w := request(h, "ask", body(t, q))
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Contains(t, refused(t, w), "the model has layers 1 to 2")
}

func TestPredictRefuses(t *testing.T) {
	dir := copyTrained(t)
	s := start(t, dir)
	simple := keyOf(t, dir, "tme9-simple")
	without := keyOf(t, dir, "tme10-cls")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, ".store")))
	created := begin(t, dir, "tme9-mean")
	for _, c := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"no run", body(t, ask.Question{Run: "../x", Text: "a"}), http.StatusNotFound, "there is no run"},
		{"no epoch", body(t, ask.Question{Run: created.key, Text: "a"}), http.StatusConflict, "no whole epoch"},
		{"long text", body(t, ask.Question{Run: simple, Text: strings.Repeat("é", page.MaxText+1)}), http.StatusUnprocessableEntity, "at most 20000"},
		{"long body", body(t, ask.Question{Run: simple, Text: strings.Repeat("a ", 1<<17)}), http.StatusRequestEntityTooLarge, "larger than"},
		{"no JSON", "{", http.StatusBadRequest, "invalid request"},
		{"unknown field", `{"path":"/etc/passwd"}`, http.StatusBadRequest, "path"},
		{"a list", `[]`, http.StatusBadRequest, "invalid request"},
		{"no table of words", body(t, ask.Question{Run: without, Text: "a"}), http.StatusUnprocessableEntity, ".store"},
	} {
		w := request(s.Handler(), "ask", c.body)
		assert.Equal(t, c.status, w.Code, c.name)
		assert.Contains(t, refused(t, w), c.says, c.name)
	}
}

// Few models are open at a time, and one whose run has trained on is read again.
func TestModelsAreKept(t *testing.T) {
	dir := copyTrained(t)
	key := keyOf(t, dir, "tme9-simple")
	for i := range page.MaxRuns {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "copy", strconv.Itoa(i)), os.DirFS(filepath.Join(dir, filepath.FromSlash(key)))))
	}
	s := start(t, dir)
	put := func(key string) {
		t.Helper()
		w := request(s.Handler(), "ask", body(t, ask.Question{Run: key, Text: "good"}))
		require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	}
	put(key)
	put(key)
	assert.Equal(t, 1, s.Models())
	for i := range page.MaxRuns {
		put("copy/" + strconv.Itoa(i))
	}
	assert.Equal(t, page.MaxRuns, s.Models())
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(key), "last.safetensors"), now, now))
	time.Sleep(20 * time.Millisecond)
	put(key)
	s.Close()
	assert.Zero(t, s.Models())
}

// Whatever is sent, the answer is JSON with a status that fits.
func FuzzQuestion(f *testing.F) {
	dir := copyTrained(f)
	key := keyOf(f, dir, "tme10-cls")
	h := start(f, dir).Handler()
	f.Add([]byte(body(f, ask.Question{Run: key, Text: "the film", Layer: 1, Head: 2, Word: "1"})))
	f.Add([]byte(body(f, ask.Question{Run: key, Text: "\xff\u0000 \n<br />", Layer: -1, Head: 1 << 40, Word: "[CLS]"})))
	f.Add([]byte(`{"run":1}`))
	f.Add([]byte("[[[[[["))
	f.Fuzz(func(t *testing.T, question []byte) {
		w := request(h, "ask", string(question))
		require.Less(t, w.Code, http.StatusInternalServerError)
		require.True(t, json.Valid(w.Body.Bytes()))
	})
}
