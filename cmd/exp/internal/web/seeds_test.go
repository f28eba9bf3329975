package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/report"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// seedRuns writes runs of which some differ in the seed only: three finished ones, one that trains, and others
// that differ in a setting or in the experiment.
func seedRuns(t *testing.T, dir string) (seeds []*writing) {
	t.Helper()
	for i, accuracy := range []float64{70, 76, 72} {
		seeds = append(seeds, begin(t, dir, "tme9-simple", fmt.Sprintf("seed=%d", 3-i)).finish(60, accuracy))
	}
	begin(t, dir, "tme9-simple", "seed=4").epoch(61)
	begin(t, dir, "tme9-simple", "seed=1", "lr=0.5").finish(60, 65)
	begin(t, dir, "tme9-simple", "seed=2", "lr=0.5").finish(60, 66)
	begin(t, dir, "tme9-other", "seed=5").finish(60, 67)
	return seeds
}

// A note of one run stands with it; a note of all stands with their row, and once.
func TestNotesOfSeeds(t *testing.T) {
	dir := t.TempDir()
	for i, note := range []string{"both", "both", ""} {
		w := begin(t, dir, "tme9-simple", fmt.Sprint("seed=", i+1)).finish(60)
		run := must.Get(runs.Open(filepath.Join(dir, filepath.FromSlash(w.key))))(t)
		require.NoError(t, run.Remark(func(r *runs.Remarks) { r.Note, r.Tags = note, []string{"baseline"} }))
	}
	s := start(t, dir)
	assert.Equal(t, []string{"note: both (seed 1, 2)", "tagged: baseline"}, s.Rows()[0].Notes)
	address, _ := serve(t, s)
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("live", live)
	b.JS(`document.querySelector("#runs [aria-expanded]").click()`)
	b.Sees("note: both (seed 1, 2)|tagged: baseline|note: both|note: both", `[...document.querySelectorAll("#runs small")].map((e) => e.textContent).join("|")`)
}

// Runs on other data are asked about a text of these data, or one that the visitor types: never about a film.
func TestBrowserExamplesOfOwnData(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	file := filepath.Join(t.TempDir(), "dishes.csv")
	lines := "text,label\n"
	for i := range 10 {
		lines += fmt.Sprintf("the soup was cold %d,bad\nthe soup was superb %d,good\n", i, i)
	}
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o666))
	must.Get(folder.AddReviews(t.Context(), data, own.Data{Name: "dishes", Files: []string{file}}, folder.Options{}))(t)
	begin(t, dir, "tme9-simple", "data=dishes").finish(60, 70)
	text := `document.querySelector("#text").value.slice(0, 12) + "|" + document.querySelector("#text").placeholder`
	for _, public := range []bool{false, true} {
		address, _ := serve(t, start(t, dir, func(o *web.Options) { o.Data, o.Public = data, public }))
		b := testbrowser.Open(t, 2*time.Minute)
		b.To(address)
		b.Sees("live", live)
		b.Sees(map[bool]string{false: "the soup was|", true: "|"}[public]+"Type or paste a text, such as those of dishes", text)
		b.Sees("false", `[...document.querySelector("#example").options].some((o) => o.text === "a real review")`)
	}
	begin(t, dir, "tme9-simple", "seed=2").finish(60, 80) // on the sample, and better: it is chosen first
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("Type or paste a review", `document.querySelector("#text").placeholder`)
	b.Sees("true", `document.querySelector("#text").value.length > 40`)
}

// The page averages the runs that exp report averages.
func TestGroupedAsReported(t *testing.T) {
	dir := t.TempDir()
	seedRuns(t, dir)
	twice := begin(t, dir, "tme9-lstm", "seed=2").finish(60)
	begin(t, dir, "tme9-lstm", "seed=1").finish(60)
	copies(t, dir, twice.key, 1) // no mean of a seed that is there twice
	var all []*runs.Run
	for _, path := range must.Get(filepath.Glob(filepath.Join(dir, "*", "*")))(t) {
		all = append(all, must.Get(runs.Open(path))(t))
	}
	var reported, shown []string
	for _, b := range tables.Blocks(report.ReadAll(all)) {
		for _, c := range b.All() {
			var keys []string
			for _, r := range c.Runs {
				keys = append(keys, filepath.ToSlash(must.Get(filepath.Rel(dir, r.Path))(t)))
			}
			reported = append(reported, strings.Join(keys, " "))
		}
	}
	for _, r := range start(t, dir).Rows() {
		shown = append(shown, strings.Join(append(r.Runs, r.Key)[:max(1, len(r.Runs))], " "))
	}
	assert.Len(t, shown, 7)
	assert.ElementsMatch(t, reported, shown)
}

// A row has the mean and the standard deviation of its runs, its curves too; the run with the median score answers.
func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	seeds := seedRuns(t, dir)
	s := start(t, dir)
	rows := s.Rows()
	i := slices.IndexFunc(rows, func(r page.Row) bool { return len(r.Runs) == 3 })
	require.GreaterOrEqual(t, i, 0)
	r := rows[i]
	assert.Equal(t, []string{seeds[2].key, seeds[1].key, seeds[0].key}, r.Runs, "by seed")
	assert.Equal(t, seeds[2].key, r.Asked)
	assert.Equal(t, "tme9-simple adam, 3 seeds", r.Label)
	assert.InDelta(t, 218.0/3, *r.Score, 1e-9)
	var texts []string
	for _, c := range r.Cells {
		texts = append(texts, c.Text)
	}
	assert.Equal(t, "3 seeds", texts[4])
	assert.Equal(t, "2/5", texts[7])
	assert.Equal(t, []string{"72.67 ± 3.06", "–", "90.00 ± 0.00"}, texts[8:11])

	h := s.Handler()
	d := detailOf(t, h, r.Key)
	require.Len(t, d.Metrics, 2)
	assert.Equal(t, 60.0, d.Metrics[0]["test_acc"])
	assert.Zero(t, d.Spread[0]["test_acc"])
	assert.InDelta(t, 3.055, d.Spread[1]["test_acc"], 0.001)
	assert.Contains(t, d.Column.Results, page.Value{Name: "Test accuracy (%)", Text: "72.67 ± 3.06"})
	assert.Contains(t, d.Column.Settings, page.Setting{Value: page.Value{Name: "seed", Text: "1, 2, 3"}, From: "command line"})
	one := detailOf(t, h, r.Runs[0])
	assert.Len(t, one.Metrics, 2)
	assert.Empty(t, one.Spread[1])

	w := request(h, "ask", body(t, map[string]string{"run": r.Key, "text": "good"}))
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Contains(t, refused(t, w), "is the mean of 3 runs; ask one of them: "+seeds[2].key)

	assert.Len(t, get[page.Change](t, h, "runs", web.Known{}).Rows, 9, "seven runs and two settings")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(seeds[2].key))))
	time.Sleep(20 * time.Millisecond)
	after := s.Rows()[i]
	assert.Equal(t, r.Key, after.Key)
	assert.Equal(t, "tme9-simple adam, 2 seeds", after.Label)
}

// Seeds are one row, which the keyboard opens, and one curve with a band; more than eight settings are drawn; a link
// brings a single run back.
func TestBrowserSeeds(t *testing.T) {
	dir := t.TempDir()
	seeds := seedRuns(t, dir)
	for i := range 9 {
		begin(t, dir, "tme9-mean", fmt.Sprintf("lr=0.%d", i+1)).finish(60, float64(61+i))
	}
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#run=")
	b.Sees("live", live)
	b.Sees("13 16 of 16 runs", runs3+` + " " + document.getElementById("count").textContent`)
	const row = `document.querySelector("#runs [aria-label='single runs of tme9-simple adam, 3 seeds']")`
	const band = `document.querySelector("#curves").textContent.includes("Of several seeds")`
	b.JS(`document.querySelectorAll("#runs input[name=run]")[0].click()`)
	b.Sees("1 false", `document.querySelectorAll("#compare thead th").length - 1 + " " + `+band)
	b.JS(`document.querySelectorAll("#runs input[name=run]")[0].click()`)
	b.JS(row + `.closest("tr").querySelector("input").click()`)
	b.Sees("2 2 2", `["loss", "acc", "entropy"].map((_, i) => document.querySelectorAll("#curves figure:not([hidden])")[i].querySelectorAll("polygon[points^='4']").length).join(" ")`)
	b.Do(chromedp.Focus("#curves .plot"))
	b.JS(`document.querySelectorAll("#curves .plot")[1].dispatchEvent(new KeyboardEvent("keydown", {key: "End", bubbles: true}))`)
	b.Sees("test 72.67 ± 3.06", `[...document.querySelectorAll("#curves .readout")[1].querySelectorAll("span")].at(-1).textContent`)
	b.Sees("true", band)
	b.JS(row + `.focus()`)
	b.Keys("\r")
	b.Sees("16", runs3)
	b.Sees("true BUTTON", row+`.ariaExpanded + " " + document.activeElement.tagName`)
	b.Keys("\t ")
	b.Sees("true", `document.querySelector("tr.within input").checked`)
	b.Sees("2", points(seeds[2].key, "test"))

	again := testbrowser.Open(t, 2*time.Minute)
	again.To(b.Text("location.href"))
	again.Sees("16", runs3)
	again.Sees("2", points(seeds[2].key, "test"))

	b.JS(`document.getElementById("all").click()`)
	b.Sees("14 c0 more", `[...document.querySelectorAll("#curves .names button")].length + " " + ["c0", "more"].filter((c) => document.querySelector("#curves .names .key." + c)).join(" ")`)
	b.Sees("14", `document.querySelectorAll("#compare thead th").length - 1`)
	b.Sees("8", `document.querySelectorAll("#answers section").length`)
	b.JS(`document.querySelectorAll("#curves .names button")[13].focus()`)
	b.Sees("true", `[...document.querySelectorAll("#curves polyline[data-run]")].filter((p) => !p.classList.contains("faded")).every((p) => p.dataset.run === document.activeElement.dataset.focus)`)
	b.Accessible()
	for _, width := range []int64{320, 400} {
		b.Do(chromedp.EmulateViewport(width, 844))
		b.Sees("true", fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, width))
	}
}

// The trials of a search have a validation score, and a figure of what mattered. The best of equal ones has the least loss.
func TestBrowserSearch(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, "tme9-mean").finish(60)
	for i := range 10 {
		begin(t, dir, "tme9-simple", "test=never", fmt.Sprintf("lr=0.%d", i+11)).untested(min(70+float64(i), 78), 0.9-float64(i)/100).finish()
	}
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("false", `document.getElementById("search").hidden`)
	b.Sees("2 11 of 11 runs", runs3+` + " " + document.getElementById("count").textContent`)
	const row = `document.querySelector("#runs [aria-label='single runs of tme9-simple sample, 10 trials of a search']")`
	b.Sees("10 trials 78.00", `[4, 9].map((i) => `+row+`.closest("tr").cells[i + 1].textContent).join(" ")`)
	b.JS(row + `.closest("tr").querySelector("input").click()`)
	b.Sees("lr 0.2", `[...document.querySelectorAll("#compare tbody tr")].filter((tr) => tr.cells[0].textContent === "lr").map((tr) => "lr " + tr.cells[2].textContent)[0]`)
	b.JS(row + `.click()`)
	b.Sees("12", runs3)
	b.Sees("valid %", `document.querySelector("#runs th[data-key=valid_acc]:not([hidden])").textContent`)
	b.Do(chromedp.Focus("#searches summary"))
	b.Keys("\r")
	b.Sees("Search of tme9-simple: lr mattered", `document.querySelector("#mattered figcaption").textContent`)
	b.Sees("true", `document.querySelector("#mattered svg.figure").clientWidth > 300 && document.querySelector("#mattered svg").textContent.includes("lr: ")`)
	b.Accessible()
	b.Do(chromedp.EmulateViewport(400, 844))
	b.Sees("true", `document.documentElement.scrollWidth <= 400`)
}
