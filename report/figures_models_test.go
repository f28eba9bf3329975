package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

func TestFiguresOfModelsNameTheirRuns(t *testing.T) {
	list := reporttest.Models(t)
	drawn := figures.Smoothed(0).Of(list)
	calibration, length := reporttest.Named(t, drawn, "calibration-imdb"), reporttest.Named(t, drawn, "length-imdb")
	for _, r := range list {
		first := r.Config.Seed() == 1
		assert.Equal(t, first, strings.Contains(calibration.Description(), r.Label()), r.Label())
		shown := first && r.Config.Variant == "default"
		assert.Equal(t, shown, strings.Contains(length.Description(), r.Label()), r.Label())
		assert.NotContains(t, calibration.Caption+length.Caption, r.Config.ID[:8], "in the metadata alone")
	}
	assert.Contains(t, calibration.Caption, "over 15 bins of equal width", "as exp predict has it")
	assert.Contains(t, length.Caption, "; tme9-lstm-last adam", "the bottleneck beside attention")
}

// Where a figure needs one run of several seeds it takes the one nearest the median,
// not the first, which may have gone wrong; the caption says which.
func TestFiguresTakeTheMedianSeed(t *testing.T) {
	var list []*runs.Run
	for seed, test := range []float64{50, 83, 81} {
		m := reporttest.Run{Name: "tme9-values", Test: []float64{test}, Predictions: reporttest.Guesses(100, 2)}
		if seed > 0 { // the first is the default, which nobody has to give
			m.User = []string{fmt.Sprint("seed=", seed+1)}
		}
		list = append(list, m.New(t))
	}
	drawn := figures.Smoothed(0).Of(list)
	median := list[2].Config.ID[:8]
	for name, caption := range map[string]string{
		"calibration-imdb": " in percent: tme9-values adam (seed 3, the median of 3 on test) 7.3",
		"length-imdb":      "tme9-values adam (seed 3, the median of 3 on test)",
		"entropy-tme9-values-adam-default-" + median: " · seed 3, the median of 3 on test · 4 of 4 epochs",
	} {
		f := reporttest.Named(t, drawn, name)
		assert.Contains(t, f.Caption, caption)
		assert.Contains(t, f.Description(), median)
		assert.NotContains(t, f.Description(), list[0].Config.ID[:8], "a dead run")
	}
}

// Only runs on the same reviews stand in one figure.
func TestOtherReviewsHaveFiguresOfTheirOwn(t *testing.T) {
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple"} {
		for _, data := range []runs.DataFacts{reporttest.IMDB, reporttest.Sample} {
			list = append(list, reporttest.Run{Name: name, Data: data, Predictions: reporttest.Guesses(50, 2)}.New(t))
		}
	}
	drawn := figures.Smoothed(0).Of(list)
	for _, name := range []string{"comparison-%s", "calibration-%s", "length-%s"} {
		full, embedded := reporttest.Named(t, drawn, fmt.Sprintf(name, "imdb")), reporttest.Named(t, drawn, fmt.Sprintf(name, "sample"))
		assert.Contains(t, full.Caption, "IMDB: 25 000 training")
		assert.Contains(t, embedded.Caption, "Embedded sample: 2 000 training")
	}
}

// trialsOf are the trials of a search, whose scores depend on lr and hardly on other settings.
func trialsOf(t *testing.T, n int, more func(i int) []string) (list []*runs.Run) {
	t.Helper()
	for i := range n {
		lr := math.Pow(10, -4+3*float64(i*7%n)/float64(n))
		score := 85 - 4*math.Abs(math.Log10(lr)+2) + float64(i%3)/2
		user := append([]string{"select=best", "test=never", fmt.Sprintf("lr=%.3g", lr), fmt.Sprint("batch=", 16<<(i%3))}, more(i)...)
		list = append(list, reporttest.Run{Name: "tme9-lstm", User: user, Best: 2, Valid: score}.New(t))
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

// Numbers drawn from an interval are compared in parts of several trials, so that few can say something; a part or
// value of a single trial is in no test.
func TestSearchOfDrawnValues(t *testing.T) {
	panel := func(key string, setting func(i int) string) *plot.Plot {
		var list []*runs.Run
		for i, score := range []float64{45, 60.6, 60.6, 57, 63, 66, 63, 66} {
			user := []string{"select=best", "test=never", fmt.Sprintf("lr=%.3g", 1.27e-5*math.Pow(3, float64(i))), setting(i)}
			list = append(list, reporttest.Run{Name: "tme9-lstm", User: user, Best: 2, Valid: score}.New(t))
		}
		f := figures.Searches(list)[0]
		panels := f.Panels(canvas.Style{})
		return panels[slices.IndexFunc(panels, func(p *plot.Plot) bool { return strings.HasPrefix(p.Title.Text, key+": ") })]
	}
	lr := panel("lr", func(int) string { return "clip=1" })
	assert.Regexp(t, `^lr: 7\d %, p = 0\.0[23]\d?$`, lr.Title.Text)
	var labels []string
	for _, tick := range lr.X.Tick.Marker.Ticks(-4.9, -1.5) {
		labels = append(labels, tick.Label)
	}
	assert.Equal(t, []string{"0.0001", "0.001", "0.01"}, labels, "not the values that were drawn")
	panel("batch", func(i int) string { return fmt.Sprint("batch=", 16+min(i, 4)) })             // the larger half is of one value
	panel("lstm.hidden", func(i int) string { return fmt.Sprint("lstm.hidden=", 10+max(4, i)) }) // the smaller half and one more
	words := panel("optimizer", func(i int) string { return "optimizer=" + []string{"sgd", "adam"}[min(i, 1)] })
	assert.Equal(t, "optimizer: too few trials of each value", words.Title.Text)
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
	assert.Equal(t, []string{"0.0001", "", "0.001", "0.003", "0.01", "0.03"}, ticks["lr"])
}
