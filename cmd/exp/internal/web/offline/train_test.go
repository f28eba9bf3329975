package offline_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/internal/testkit/testmodel"
)

// A reader trains on the sample: what comes of it has every bit of the command's metrics and
// its citation, and stands beside the other runs. The page stays alive meanwhile, and a
// training that is cancelled leaves no trace.
func TestBrowserTrain(t *testing.T) {
	run, simple := trained(t, "tme9-simple")
	b := show(t, &offline.Page{Title: "exp: train", Version: "v1", Runs: []offline.Run{onPage(run, simple)}})
	b.Sees("tme9-simple", `document.querySelector("#experiment").value`)
	b.JS(`document.querySelector("#experiment").value = "tme9-lstm"; document.querySelector("#experiment").dispatchEvent(new Event("change"))`)
	b.Do(chromedp.Click(chromedp.CSS("#begin")))
	b.Sees("true", `document.querySelector("#done").value > 0.01`)
	b.Sees("1", `document.querySelectorAll("#looks tbody tr").length`)
	b.Do(chromedp.Click(chromedp.CSS("#cancel")))
	b.Sees("Cancelled.", `document.querySelector("#told").textContent`)
	b.Sees("begin", `document.activeElement.id`)

	b.JS(`for (const [id, at, kind] of [["experiment", "tme9-values", "change"], ["lambda", 2, "input"], ["seed", 1, "input"]]) { const e = document.getElementById(id); e.value = at; e.dispatchEvent(new Event(kind)); }`)
	b.Sees("0.003 2", `document.querySelector("[for=lambda] + span output").value + " " + document.querySelector("[for=seed] + span output").value`)
	trains(t, &b.Page, "tme9-values", "lambda=0.003", "seed=2")
	b.Sees("7", `document.querySelectorAll("#looks tbody tr").length`)
	b.JS(`document.querySelector("#result button").click()`)
	b.Sees("2", `document.querySelectorAll("#answers section").length`)
	b.Sees("true", `document.querySelector("#said").textContent.includes("tme9-values ")`)
	b.Sees("polite", `document.querySelector("#told").getAttribute("aria-live")`)
	b.Accessible()
	b.Sees("3", `document.querySelectorAll("#learning figure:not([hidden])").length`)
	b.Do(chromedp.EmulateViewport(390, 844))
	b.Sees("", over)
	if os.Getenv("EXP_LONG") != "" { // two minutes
		b.JS(`const e = document.getElementById("experiment"); e.value = "tme9-lstm"; e.dispatchEvent(new Event("change"))`)
		trains(t, &b.Page, "tme9-lstm")
		require.Equal(t, "imdbexp:tme9-lstm/ea46cb@67d9c939", b.Text(`document.querySelector("#cited").textContent`))
	}
}

// trains trains what the page has chosen, which is an experiment with some settings, and
// compares it with what the command trains.
func trains(t *testing.T, b *testbrowser.Page, wanted string, settings ...string) {
	t.Helper()
	b.JS(`document.querySelector("#begin").click()`)
	for rows := 1; rows <= 7; rows++ { // each may take as long as a browser is waited for
		b.Sees("true", fmt.Sprintf(`document.querySelectorAll("#looks tbody tr").length >= %d`, rows))
	}
	b.Sees("true", `document.querySelector("#cited") !== null`)
	run, _ := testmodel.Train(t, wanted, append([]string{"epochs=6", "data.limit=0", "vectors=auto"}, settings...)...)
	cited, err := run.Citation()
	require.NoError(t, err)
	require.Equal(t, cited.String(), b.Text(`document.querySelector("#cited").textContent`))
	metrics, err := run.MetricsText()
	require.NoError(t, err)
	require.Equal(t, string(metrics), b.Text(`document.querySelector("#metrics").textContent`))
}
