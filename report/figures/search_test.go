package figures_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// trialsOf are the trials of a search, whose scores depend on lr and hardly on other settings.
func trialsOf(t *testing.T, n int, more func(i int) []string) (list []*runs.Run) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		lr := math.Pow(10, -4+3*float64(i*7%n)/float64(n))
		score := 85 - 4*math.Abs(math.Log10(lr)+2) + float64(i%3)/2
		user := append([]string{"select=best", "test=never", fmt.Sprintf("lr=%.3g", lr), fmt.Sprint("batch=", 16<<(i%3))}, more(i)...)
		list = append(list, reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, User: user, Best: 2, Valid: score}.Add(t, dir))
	}
	return list
}

func none(int) []string { return nil }

func TestGoldenSearch(t *testing.T) {
	optimizers := func(i int) []string { return []string{"optimizer=" + []string{"adam", "sgd"}[i/2%2]} }
	f := reporttest.Named(t, figures.Searches(trialsOf(t, 24, optimizers)), "search-tme9-lstm-default")
	assert.Equal(t, "Search of tme9-lstm: lr mattered, no clear effect of batch, optimizer", f.Title)
	assert.Contains(t, f.Caption, "24 finished trials of 4 epochs · bars: mean ± one standard deviation")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 16 * 28.35, Height: 7 * 28.35, DPI: 80})
}

// What few trials cannot say, a figure does not say; of fewer there is none.
func TestSearchOfFewTrials(t *testing.T) {
	assert.Empty(t, figures.Searches(trialsOf(t, 3, none)))
	f := figures.Searches(trialsOf(t, 5, none))
	assert.Equal(t, "Search of tme9-lstm: 5 trials are too few to say what mattered", f[0].Title)
	assert.NotContains(t, f[0].Caption, "mean")
	same := func(int) []string { return []string{"lr=0.01", "batch=16"} } // nothing differs but the seed
	assert.Empty(t, figures.Searches(trialsOf(t, 5, func(i int) []string { return append(same(i), fmt.Sprint("seed=", i+1)) })))
	f = figures.Searches(trialsOf(t, 12, func(i int) []string { return []string{"lr=0.01", fmt.Sprintf("clip=0.%d", i%4)} }))
	assert.Regexp(t, "no setting has a clear effect|batch mattered", f[0].Title)
}

// Of a search by halving the trials of the first rung are compared; epochs that are searched are a setting.
func TestSearchOfEpochs(t *testing.T) {
	rungs := func(i int) []string {
		if i%9 < 3 { // the best ones trained on
			return []string{"epochs=3", fmt.Sprint("lr=0.00", 1+i%9), "batch=16"}
		}
		return []string{"epochs=2", fmt.Sprint("lr=0.00", i%9-2), "batch=16"}
	}
	f := figures.Searches(trialsOf(t, 9, rungs))
	assert.Contains(t, f[0].Caption, "6 finished trials of 2 epochs · omitted: 3 trials, unfinished or of another number of epochs")
	f = figures.Searches(trialsOf(t, 12, func(i int) []string { return []string{fmt.Sprint("epochs=", 2+i%3)} }))
	assert.Contains(t, f[0].Title, "epochs")
	assert.NotContains(t, f[0].Caption, "omitted")
}

// The caption says how few reviews the scores are of, and the ticks of a number with few values are these.
func TestSearchNamesValuesAndReviews(t *testing.T) {
	list := trialsOf(t, 12, none)
	for _, r := range list {
		r.Config.Data.Train.Reviews, r.Config.Data.Valid.Reviews = 289, 32
	}
	f := figures.Searches(list)[0]
	assert.Contains(t, f.Caption, "IMDB: 289 training and 32 validation reviews · 12 finished trials")
	ticks := map[string][]string{}
	for _, p := range f.Panels(canvas.Style{}) {
		key, _, _ := strings.Cut(p.Title.Text, ":")
		for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			ticks[key] = append(ticks[key], tick.Label)
		}
	}
	assert.Equal(t, []string{"16", "32", "64"}, ticks["batch"])
	assert.Equal(t, []string{"0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03"}, ticks["lr"])
}
