package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/internal/testkit/testmodel"
)

func trains(o *web.Options) { o.Train, o.Workers = true, 2 }

// news is a line of what is told of a training.
type news struct {
	Kind  string
	Value json.RawMessage
}

// told returns the lines of an answer by kind, the last of each.
func told(t testing.TB, text string) map[string]json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	for line := range strings.Lines(text) {
		var n news
		require.NoError(t, json.Unmarshal([]byte(line), &n), line)
		out[n.Kind] = n.Value
	}
	return out
}

// begunTraining begins a training on a server that listens, and waits for a line of it.
func begunTraining(t testing.TB, ctx context.Context, address, question, kind string) *bufio.Scanner {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(ctx, "POST", address+"/api/train", strings.NewReader(question)))(t)
	r.Header.Set("Content-Type", "application/json")
	answer := must.Get(http.DefaultClient.Do(r))(t)
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), `{"kind":"`+kind+`"`) {
			return lines
		}
	}
	require.Fail(t, "no "+kind, lines.Err())
	return nil
}

// What the server trains has the bits of the command's metrics and its citation, and is asked
// like any run; it lies in no folder.
func TestTrain(t *testing.T) {
	dir := t.TempDir()
	h := start(t, dir, trains).Handler()
	run, _ := testmodel.Train(t, "tme9-simple", "lambda=0.003", "seed=3", "epochs=6", "data.limit=0", "vectors=auto")
	metrics := must.Get(run.MetricsText())(t)
	cited := must.Get(run.Citation())(t)

	w := request(h, "train", `{"name":"tme9-simple","lambda":"0.003","seed":"3"}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	lines := told(t, w.Body.String())
	var end web.Ended
	require.NoError(t, json.Unmarshal(lines["ended"], &end), w.Body.String())
	require.Equal(t, string(metrics), end.Metrics)
	require.Equal(t, cited.String(), end.Citation)
	require.Equal(t, run.Label(), end.Run)
	var began train.Began
	require.NoError(t, json.Unmarshal(lines["began"], &began))
	require.Equal(t, "exp run tme9-simple data=sample lambda=0.003 seed=3", strings.Join(began.Command, " "))
	var answered train.Answered
	require.NoError(t, json.Unmarshal(lines["answer"], &answered))
	require.Equal(t, 6, answered.Epoch)
	require.Equal(t, 7, strings.Count(w.Body.String(), `{"kind":"answer"`), "before the first epoch and after each")
	require.Equal(t, 6, strings.Count(w.Body.String(), `{"kind":"epoch"`))

	offer := get[web.Offer](t, h, "training", struct{}{})
	require.Len(t, offer.Ended, 1)
	list := offer.Trainables
	require.Equal(t, train.Trainable{Name: "tme9-mean", Shows: list[0].Shows, Epochs: 6, LR: "0.01", Seed: "1"}, list[0])
	require.Equal(t, "0.01", list[len(list)-1].Lambda)
	require.Less(t, len(offer.Text), 200)
	require.Equal(t, end.Citation, offer.Ended[0].Citation)
	require.Equal(t, "lambda=0.003 seed=3", offer.Ended[0].About)
	a := parse[ask.Answer](t, request(h, "ask", body(t, ask.Question{Run: end.Key, Text: offer.Text, By: "gradient"})))
	require.Equal(t, answered.Answer.P, a.P)
	require.NotNil(t, a.Scored)
	files := must.Get(os.ReadDir(dir))(t)
	require.Empty(t, files)

	w = request(h, "ask", body(t, ask.Question{Run: end.Key + "0", Text: "good"}))
	require.Equal(t, http.StatusNotFound, w.Code)
	require.Contains(t, refused(t, w), "is gone")
}

// One is trained at a time. It ends with the reader who asked for it, and with the server,
// which waits for nothing.
func TestTrainEnds(t *testing.T) {
	s := start(t, t.TempDir(), trains)
	s.SetWait(10 * time.Millisecond)
	address, stop := serve(t, s)
	ctx, hangUp := context.WithCancel(t.Context())
	begunTraining(t, ctx, address, `{"name":"tme9-lstm"}`, "progress")
	second := func() (int, string) {
		answer := must.Get(http.Post(address+"/api/train", "application/json", strings.NewReader(`{"name":"tme9-mean"}`)))(t)
		defer answer.Body.Close()
		var text bytes.Buffer
		text.ReadFrom(answer.Body)
		return answer.StatusCode, text.String()
	}
	code, text := second()
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, text, "another training is under way")
	require.Contains(t, text, "cancel it in the page that began it")
	hangUp()
	require.Eventually(t, func() bool {
		code, text = second()
		return code == http.StatusOK
	}, 10*time.Second, 20*time.Millisecond)
	require.Contains(t, told(t, text), "ended")

	lines := begunTraining(t, t.Context(), address, `{"name":"tme9-lstm"}`, "progress")
	began := time.Now()
	stop()
	require.Less(t, time.Since(began), 2*time.Second)
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	require.Contains(t, last, "The server has ended")
}

// An invalid question is an error with advice before anything is trained. If other machines may open
// the page, nothing is trained.
func TestTrainRefuses(t *testing.T) {
	h := start(t, t.TempDir(), trains).Handler()
	for _, c := range []struct {
		question string
		status   int
		says     string
	}{
		{`{"name":"tme9-simpel"}`, http.StatusUnprocessableEntity, "did you mean tme9-simple"},
		{`{"name":"tme10-cls"}`, http.StatusUnprocessableEntity, "choose one of group tme9, "},
		{`{"name":"tme9-mean","lr":"much"}`, http.StatusUnprocessableEntity, "lr=much: want a number"},
		{`{"name":"tme9-mean","lambda":"0.1"}`, http.StatusUnprocessableEntity, "lambda"},
		{`{"name":"tme9-simple","seed":"1e99"}`, http.StatusUnprocessableEntity, "seed=1e99: want a whole"},
		{`{"name":"tme9-simple","lr":"0.1 epochs=99"}`, http.StatusUnprocessableEntity, "want a number"},
		{`{"name":"tme9-mean","epochs":"9"}`, http.StatusBadRequest, "epochs"},
		{`{`, http.StatusBadRequest, "invalid request"},
	} {
		w := request(h, "train", c.question)
		assert.Equal(t, c.status, w.Code, c.question)
		assert.Contains(t, refused(t, w), c.says)
	}
	w := request(h, "train", `{"name":"tme9-simple","lr":"1e38"}`)
	assert.Contains(t, string(told(t, w.Body.String())["failed"]), "diverged")
	assert.Equal(t, http.StatusOK, request(h, "train", `{"name":"tme9-mean"}`).Code, "its place is free again")

	h = start(t, t.TempDir()).Handler() // as with --public
	w = request(h, "train", `{"name":"tme9-mean"}`)
	assert.Equal(t, http.StatusForbidden, w.Code)
	assert.Contains(t, refused(t, w), "exp serve --public --train")
}

// A reader of the page trains, sees the progress, cancels, trains again and uses the model.
func TestBrowserTrain(t *testing.T) {
	dir := copyTrained(t)
	s := start(t, dir, trains)
	address, _ := serve(t, s)
	b := testbrowser.Open(t, 10*time.Minute)
	b.To(address + "/#run=" + keyOf(t, dir, "tme9-simple"))
	b.Sees("tme9-simple", `document.querySelector("#experiment").value`)
	b.JS(`const e = document.querySelector("#experiment"); e.value = "tme9-lstm"; e.dispatchEvent(new Event("change"))`)
	b.Do(chromedp.Click(chromedp.CSS("#begin")))
	b.Sees("Cancelled. begin", `(document.activeElement.id === "cancel" && document.querySelector("#done").value > 0.01 && document.activeElement.click(), document.querySelector("#told").textContent + " " + document.activeElement.id)`)

	b.JS(`for (const [id, at, kind] of [["experiment", "tme9-values", "change"], ["lambda", 2, "input"], ["seed", 1, "input"]]) { const e = document.getElementById(id); e.value = at; e.dispatchEvent(new Event(kind)); }`)
	b.Do(chromedp.Click(chromedp.CSS("#begin")))
	b.Sees("true", `document.querySelector("#cited") !== null`)
	b.Sees("7", `document.querySelectorAll("#looks tbody tr").length`)
	b.Sees("3", `document.querySelectorAll("#learning figure:not([hidden])").length`)
	kept := get[web.Offer](t, s.Handler(), "training", struct{}{}).Ended[0]
	require.Equal(t, kept.Metrics, b.Text(`document.querySelector("#metrics").textContent`))
	require.Equal(t, kept.Citation, b.Text(`document.querySelector("#cited").textContent`))

	b.Do(chromedp.Click(chromedp.CSS("#result button")))
	b.Sees("true", `document.querySelector("#answers section:last-child .hint").textContent.includes("trained here, lambda=0.003 seed=2: ")`)
	b.Sees(kept.Citation, `document.querySelector("#answers section:last-child .hint code")?.textContent`)
	b.Sees("true", `document.querySelector("#said").textContent.includes("; tme9-values ")`)
	again := testbrowser.Open(t, 2*time.Minute)
	again.To(b.Text("location.href"))
	again.Sees(b.Text(said), said)
	again.Sees(kept.Citation, `document.querySelector("#answers section:last-child .hint code")?.textContent`)
}
