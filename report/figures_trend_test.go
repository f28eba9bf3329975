package report_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Runs of two experiments at three rates with two seeds each: a line of three points for
// each, the mean of its seeds, on an axis of powers.
func TestTrend(t *testing.T) {
	var list []*runs.Run
	for i, lr := range []string{"0.001", "0.01", "0.1"} {
		for seed := 1; seed <= 2; seed++ {
			for j, name := range []string{"tme9-lstm", "tme9-mean"} {
				list = append(list, reporttest.Run{Name: name, User: []string{"lr=" + lr, fmt.Sprint("seed=", seed)}, Test: []float64{float64(70 + 5*i + 4*seed - 10*j)}}.New(t))
			}
		}
	}
	list = append(list, reporttest.Run{Name: "tme9-simple"}.New(t)) // one value alone
	drawn := must.Get(figures.Trend(list, "lr", []string{"test_acc"}, "tme9-mean", "tme9-lstm"))(t)
	require.Len(t, drawn, 1)
	f := drawn[0]
	require.Equal(t, "Test accuracy is highest at lr=0.1: 86.00 % (tme9-lstm); the difference from 0.01 is not clear", f.Title)
	require.Equal(t, []string{"tme9-mean", "tme9-lstm"}, []string{f.Legend[0].Name, f.Legend[1].Name})
	require.Contains(t, f.Caption, "mean of 2 seeds, band ± one standard deviation · omitted: 1 setting with a single value of lr")
	var ticks []string
	for _, tick := range f.Panels(canvas.Style{})[0].X.Tick.Marker.Ticks(-3, -1) {
		ticks = append(ticks, tick.Label)
	}
	require.Equal(t, []string{"0.001", "0.01", "0.1"}, ticks, "the values that were tried")
	reporttest.SamePicture(t, f, reporttest.SmallPicture)

	_, err := figures.Trend(list, "rate", nil)
	unknown, ok := errors.AsType[*tables.UnknownKeyError](err)
	require.True(t, ok)
	require.Equal(t, "rate", unknown.Key)
	require.ErrorContains(t, must.Fail(figures.Trend(list, "optimizer", nil)), "needs a setting whose values are numbers")
	require.ErrorContains(t, must.Fail(figures.Trend(list, "epochs", nil)), "no finished runs differ in epochs alone")
	require.ErrorContains(t, must.Fail(figures.Trend(list, "lr", []string{"acc"})), fmt.Sprintf("no value %q", "acc"))
}

// Figures have names of their own, for the second of a name would replace the first in its
// folder. An original, which splits reviews into other words, stands beside the default.
func TestTrendsHaveNamesOfTheirOwn(t *testing.T) {
	half, resplit := reporttest.IMDB, reporttest.IMDB
	half.Test.Reviews /= 2
	resplit.Test.Words *= 2
	add := func(name string, data runs.DataFacts, variant string) *runs.Run {
		return reporttest.Run{Name: name, Variant: variant, Data: data, Test: []float64{60, 70, 75}}.New(t)
	}
	lstm := []*runs.Run{add("tme9-lstm", reporttest.IMDB, "default"), add("tme9-lstm", resplit, "original"), add("tme9-lstm", half, "default")}
	drawn := must.Get(figures.Trend(lstm, "epoch", nil))(t)
	require.Len(t, drawn, 2)
	require.Equal(t, "curve-tme9-lstm-test_acc-by-epoch-IMDB", drawn[0].Name)
	require.Equal(t, "curve-tme9-lstm-test_acc-by-epoch-IMDB-2", drawn[1].Name)
	require.Len(t, drawn[0].Legend, 2)
	require.Contains(t, drawn[1].Caption, "12 500 test reviews")

	held := reporttest.IMDB
	held.Train.Reviews, held.Valid.Reviews = 22500, 2500
	drawn = must.Get(figures.Trend(append(lstm[:2], add("tme9-lstm", held, "default")), "epoch", []string{"train_acc", "grad_norm"}))(t)
	require.Contains(t, drawn[0].Caption, "IMDB: 22 500 to 25 000 training reviews · ", "of which these numbers are")

	drawn = must.Get(figures.Trend([]*runs.Run{add("tme9-mean", reporttest.IMDB, "default")}, "epoch", nil))(t)
	require.Equal(t, "curve-tme9-mean-test_acc-by-epoch-IMDB", drawn[0].Name)
}

// One seed has no standard deviation: a band is of neighbours that have one.
func TestTrendOfOneSeedHasNoBand(t *testing.T) {
	for _, c := range []struct {
		seeds []int // at each rate
		bands int
	}{{[]int{1, 2, 1}, 0}, {[]int{1, 2, 2}, 1}, {[]int{2, 2, 1, 2, 2}, 2}, {[]int{1, 1}, 0}} {
		var list []*runs.Run
		for i, n := range c.seeds {
			for seed := range n {
				list = append(list, reporttest.Run{
					Name: "tme9-mean", User: []string{fmt.Sprint("lr=", i+1), fmt.Sprint("seed=", seed+1)},
					Test: []float64{float64(70 + i + 4*seed)},
				}.New(t))
			}
		}
		drawn := must.Get(figures.Trend(list, "lr", nil))(t)
		var svg strings.Builder
		require.NoError(t, drawn[0].Write(&svg, "svg", reporttest.SmallPicture))
		require.Equal(t, c.bands, strings.Count(svg.String(), `fill-opacity="0.2`), "%v", c.seeds)
	}
}

// Over an amount of reviews, epochs that go with it part no lines, and draws of reviews are
// averaged as seeds are; epochs that differ at one amount do part them.
func TestTrendOverAmount(t *testing.T) {
	var list []*runs.Run
	add := func(acc float64, user ...string) {
		list = append(list, reporttest.Run{Name: "tme9-mean", User: user, Test: []float64{acc}}.New(t))
	}
	for seed := 1; seed <= 3; seed++ {
		drawn := fmt.Sprint("data.train_seed=", seed)
		add(float64(60+seed), "data.train=100", "epochs=30", drawn, fmt.Sprint("seed=", seed))
		add(float64(70+seed), "data.train=1000", "epochs=30", drawn)
		add(float64(80+seed), "epochs=5", fmt.Sprint("seed=", seed))
	}
	drawn := must.Get(figures.Trend(list, "data.train", nil))(t)
	require.Len(t, drawn, 1)
	require.Equal(t, []string{"tme9-mean"}, []string{drawn[0].Legend[0].Name})
	require.Len(t, drawn[0].Legend, 1)
	require.Contains(t, drawn[0].Caption, "mean of 3 seeds or draws of reviews, band ± one standard deviation · changed with data.train: epochs")
	reporttest.SamePicture(t, drawn[0], reporttest.SmallPicture)

	add(65, "data.train=100", "epochs=5")
	drawn = must.Get(figures.Trend(list, "data.train", nil))(t)
	require.Equal(t, []string{"tme9-mean epochs=5", "tme9-mean epochs=30"}, []string{drawn[0].Legend[0].Name, drawn[0].Legend[1].Name})
	require.NotContains(t, drawn[0].Caption, "changed with")
}

// Over the epochs the lines are of settings, with what they differ in as their names, of the
// same variant, too; the mean is over the epochs that both seeds have.
func TestTrendOverEpochs(t *testing.T) {
	var list []*runs.Run
	for i, lr := range []string{"0.001", "0.01"} {
		for seed := 1; seed <= 2; seed++ {
			list = append(list, reporttest.Run{
				Name: "tme9-mean", Variant: "original", User: []string{"lr=" + lr, fmt.Sprint("seed=", seed)},
				Test: []float64{60, float64(70 + 5*i + 4*seed), 75}, Epochs: 1 + seed, Unfinished: seed == 1,
			}.New(t))
		}
	}
	drawn := must.Get(figures.Trend(list, "epoch", []string{"test_acc"}))(t)
	require.Len(t, drawn, 1)
	f := drawn[0]
	require.Equal(t, "Test accuracy is highest at epoch 2: 81.00 % (tme9-mean lr=0.01); the difference from tme9-mean lr=0.001 is not clear", f.Title)
	require.Equal(t, []string{"tme9-mean lr=0.001", "tme9-mean lr=0.01"}, []string{f.Legend[0].Name, f.Legend[1].Name})
	require.Contains(t, f.Caption, "mean of 2 seeds, band ± one standard deviation")
	reporttest.SamePicture(t, f, reporttest.SmallPicture)

	require.ErrorContains(t, must.Fail(figures.Trend(list, "epoch", []string{"macro_f1"})), "of its end alone")
	require.ErrorContains(t, must.Fail(figures.Trend(list[:0], "epoch", nil)), "no run has two epochs")
}

// A line over epochs is of the same seeds at each of them: tests of other seeds at other epochs do not rise or fall.
func TestTrendOverEpochsIsOfTheSameSeeds(t *testing.T) {
	var list []*runs.Run
	none := math.NaN()
	for seed, test := range [][]float64{{none, 80, none, none}, {none, none, 85, none}, {none, none, none, 90}, {none, none, 86, none}} {
		for _, r := range []reporttest.Run{{Name: "tme9-mean", Test: []float64{60, 70, 75, 76}[:min(4, 3+seed)]}, {Name: "tme9-lstm", Test: test}} {
			r.Variant, r.Data, r.Epochs, r.User = "default", reporttest.IMDB, len(r.Test), []string{fmt.Sprint("seed=", seed+1)}
			list = append(list, r.New(t))
		}
	}
	f := must.Get(figures.Trend(list, "epoch", []string{"train_acc", "test_acc"}, "tme9-mean", "tme9-lstm"))(t)[0]
	require.Contains(t, f.Caption, "mean of 4 seeds", "and three epochs")
	require.Contains(t, f.Caption, " · without a line of test accuracy: 1 setting (tme9-lstm)")
	f = must.Get(figures.Trend(list, "epoch", nil))(t)[0]
	require.Contains(t, f.Caption, "omitted: 1 setting not evaluated at two epochs with the same seeds (tme9-lstm)")
	require.ErrorContains(t, must.Fail(figures.Trend(slices.DeleteFunc(list, func(r *runs.Run) bool { return r.Config.Name == "tme9-mean" }), "epoch", nil)), "no run has two epochs")
}

// Numbers of one kind stand side by side on one axis, each with the lines that have it in
// their colours; a number that no line has is left out, and the caption says so.
func TestTrendOfSeveralNumbers(t *testing.T) {
	var list []*runs.Run
	for seed := 1; seed <= 2; seed++ {
		for _, name := range []string{"tme9-mean", "tme9-lstm"} {
			r := reporttest.Run{Name: name, User: []string{fmt.Sprint("seed=", seed)}, Test: []float64{60, float64(70 + seed), 75}}
			if name == "tme9-mean" { // looks at test once
				r.Test = []float64{math.NaN(), math.NaN(), math.NaN(), 75}
			}
			list = append(list, r.New(t))
		}
	}
	drawn := must.Get(figures.Trend(list, "epoch", []string{"train_acc", "test_acc", "train_entropy"}, "tme9-mean", "tme9-lstm"))(t)
	f := drawn[0]
	require.Equal(t, "curve-train_acc-test_acc-train_entropy-by-epoch-IMDB", f.Name)
	require.Equal(t, "Test accuracy is highest at epoch 3: 75.00 %", f.Title)
	require.Contains(t, f.Caption, " · without a line of test accuracy: 1 setting")
	panels := f.Panels(canvas.Style{})
	require.Len(t, panels, 3)
	require.Equal(t, []string{"Train accuracy", "Test accuracy"}, []string{panels[0].Title.Text, panels[1].Title.Text})
	require.Equal(t, []float64{panels[0].Y.Min, panels[0].Y.Max}, []float64{panels[1].Y.Min, panels[1].Y.Max})
	require.NotEqual(t, panels[0].Y.Max, panels[2].Y.Max)
	reporttest.SamePicture(t, f, reporttest.SmallPicture)

	drawn = must.Get(figures.Trend(list, "epoch", []string{"train_acc", "valid_acc"}))(t)
	require.Regexp(t, "^Train accuracy is highest at epoch 4: ", drawn[0].Title)
	require.Contains(t, drawn[0].Caption, " · without a line of validation accuracy: 2 settings")
	require.ErrorContains(t, must.Fail(figures.Trend(list, "epoch", []string{"test_acc", "acc"})), "acc")
}

// Reviews of one length stay together: bins differ, and the caption says how much.
func TestLengthsOfUnequalBins(t *testing.T) {
	run := reporttest.Run{Name: "tme9-mine", Predictions: reporttest.Guesses(100, 2)}
	for i := range 30 {
		run.Predictions.Rows[i].Words = 12
	}
	f := reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run.New(t)}), "length-imdb")
	assert.Contains(t, f.Caption, "test reviews in bins of 10 to 30 by length")
}

// The bars of several models in one panel would hide each other: each model has a panel, on equal axes.
func TestLengthsOfManyExperiments(t *testing.T) {
	var list []*runs.Run
	for _, name := range "abcd" {
		list = append(list, reporttest.Run{Name: "tme9-lstm-" + string(name), Predictions: reporttest.Guesses(100, 2)}.New(t))
	}
	f := reporttest.Named(t, figures.Smoothed(0).Of(list), "length-imdb")
	assert.Contains(t, f.Caption, "tme9-lstm-d adam")
	panels := f.Panels(canvas.Style{})
	assert.Len(t, panels, 4)
	for _, p := range panels[1:] {
		assert.Equal(t, []float64{panels[0].X.Min, panels[0].X.Max, panels[0].Y.Min, panels[0].Y.Max}, []float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max})
	}
}

// Before there are predictions nothing tells how long the reviews are but their mean.
func TestUniformOfUnfinished(t *testing.T) {
	m := reporttest.Run{Name: "tme9-simple", Epochs: 1, Unfinished: true}
	run := m.New(t)
	u := report.UniformOf(run)
	assert.Equal(t, "mean", u.At)
	assert.InDelta(t, math.Log(228), u.Nats, 1e-9)
	f := figureOf(t, run, "entropy|figure-16")
	assert.Contains(t, f.Caption, "and log n of n words, the mean length of the test reviews")
}

// Where padding takes part, attention chooses among more than a review's words: no
// line may say that more than log n of them is more than uniform.
func TestPaddingHasNoUniform(t *testing.T) {
	for _, c := range []struct {
		pad    string
		marked int
		told   string
	}{{"false", 2, "and log n of n words, the median length of the test reviews"}, {"true", 0, "padding takes part"}} {
		run := reporttest.Run{Name: "tme9-simple", Predictions: reporttest.Guesses(20, 1)}.New(t)
		run.Config.Settings = append(run.Config.Settings, runs.Value{Key: "slip.pad", Value: c.pad})
		f := figureOf(t, run, "entropy|figure-16")
		assert.Contains(t, f.Caption, c.told)
		svg := must.Get(f.Inline())(t)
		assert.Equal(t, c.marked, strings.Count(svg, ">uniform"))
	}
}

// Settings that are not drawn are counted, and the level of guessing is the largest class where classes are unequal.
func TestFiguresSayWhatIsNotDrawnAndGuessed(t *testing.T) {
	own, p := reporttest.Sample, reporttest.Guesses(100, 2)
	own.Name = "mine"
	for i := range p.Rows {
		p.Rows[i].Label = min(1, i%4)
	}
	var list []*runs.Run
	for _, user := range [][]string{nil, {"lr=0.05"}} {
		list = append(list, reporttest.Run{Name: "tme9-lstm", Data: own, User: user, Test: []float64{70, 78}, Predictions: p}.New(t))
	}
	drawn := figures.Smoothed(0).Of(list)
	for _, name := range []string{"calibration-mine", "length-mine"} {
		assert.Contains(t, reporttest.Named(t, drawn, name).Caption, "not drawn: 1 other setting of the same experiments")
		assert.NotContains(t, reporttest.Named(t, figures.Smoothed(0).Of(list[:1]), name).Caption, "not drawn")
	}
	drawn = append(drawn, must.Get(figures.Trend(list, "epoch", []string{"test_acc", "test_loss"}))(t)...)
	for _, f := range drawn {
		if name, _, _ := strings.Cut(f.Name, "-"); slices.Contains([]string{"curves", "curve", "length"}, name) {
			svg := must.Get(f.Inline())(t)
			assert.Contains(t, svg, ">largest class of test, 75.00 %<", f.Name)
			assert.NotContains(t, svg, ">chance", f.Name)
		}
	}
}

func TestTranslationFigure(t *testing.T) {
	list := reporttest.Translators(t)
	f := reporttest.Named(t, figures.Smoothed(0).Of(list, reporttest.Order...), "translation-phrases")
	assert.Contains(t, f.Description(), list[0].Label())
	assert.NotContains(t, f.Description(), list[3].Label(), "its test was never looked at")
	assert.Contains(t, f.Caption, "in bins of 4 to 8 by words of the source")
	f.Caption = "caption"
	svg := must.Get(f.Inline())(t)
	assert.Contains(t, svg, ">seq2seq-bahdanau</text>")
	reporttest.SamePicture(t, f, reporttest.SmallPicture)

	entropy := figureOf(t, list[0], "entropy")
	assert.Contains(t, entropy.Caption, "share of the pairs")
	assert.Contains(t, entropy.Caption, "1 of 1 epoch ·")
}

// Their curves tell next words from exact match, by which they are judged.
func TestTranslationCurves(t *testing.T) {
	f := figureOf(t, reporttest.Translators(t)[0], "curves")
	assert.Regexp(t, `: [0-9.]+ % exact match on test`, f.Title)
	svg := must.Get(f.Inline())(t)
	for _, want := range []string{">loss<", ">next-word accuracy<", ">exact match<", ">exact match (%)<"} {
		assert.Contains(t, svg, want)
	}
	assert.NotContains(t, svg, ">accuracy")
}

// Curves of several seeds are their mean in a band.
func TestGoldenBand(t *testing.T) {
	var list []*runs.Run
	for seed := range 4 {
		n := float64(seed)
		list = append(list, reporttest.Run{Name: "tme9-lstm", Set: []string{fmt.Sprint("seed=", seed)}, Test: []float64{78 + n, 82 + 2*n, 83 + n, 84 - n}}.New(t))
	}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	assert.Contains(t, drawn[0].Caption, "mean of 4 seeds (0, 1, 2, 3), band ± one standard deviation")
	f := reporttest.AnyCaption(drawn[0])
	f.Name = "band"
	reporttest.SamePicture(t, f, reporttest.SmallPicture)
}

// A smoothed curve has the raw one faint behind it, and its caption says so.
func TestGoldenSmoothed(t *testing.T) {
	run := reporttest.Run{Name: "tme9-lstm", Set: []string{"epochs=10"}, Test: []float64{76, 83, 79, 85, 78, 86, 80, 84, 82, 86}}.New(t)
	drawn := must.Get(figures.Smoothed(0.6).Named([]*runs.Run{run}, nil, reporttest.Typed, "11"))(t)
	assert.Contains(t, drawn[0].Caption, "smoothed with weight 0.6 as TensorBoard does, the raw curves faint behind")
	f := reporttest.AnyCaption(drawn[0])
	f.Name = "smoothed"
	reporttest.SamePicture(t, f, reporttest.SmallPicture)
	for _, f := range figures.Smoothed(0.6).Of([]*runs.Run{run}) {
		assert.Equal(t, strings.HasPrefix(f.Name, "figure-11"), strings.Contains(f.Caption, "smoothed"), f.Name)
	}
	raw := must.Get(figures.Smoothed(0).Named([]*runs.Run{run}, nil, reporttest.Typed, "11"))(t)
	assert.NotContains(t, raw[0].Caption, "smoothed")
}

// Of seeds that stopped at different epochs only those are drawn that all have.
func TestBandOverCommonEpochs(t *testing.T) {
	base := reporttest.Run{Name: "tme9-lstm", User: []string{"select=best"}, Best: 2, Epochs: 3}
	other := base
	other.Set, other.Epochs = []string{"seed=2"}, 4
	list := []*runs.Run{base.New(t), other.New(t)}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	assert.Contains(t, drawn[0].Caption, "chosen epochs: 2, 2")
	svg := must.Get(drawn[0].Inline())(t)
	assert.Contains(t, svg, ">3</text>", "the last epoch of both")
	assert.NotContains(t, svg, ">4</text>", "an epoch of one")
}

// A figure of the published report is drawn of each variant. One that shows other data says of which it is.
func TestNumberedFiguresOfVariantsAndData(t *testing.T) {
	plain := reporttest.Run{Name: "tme9-lstm"}
	original, sample := plain, plain
	original.Variant, original.Set, sample.Data = "original", []string{"slip.whitespace=true"}, reporttest.Sample
	named := func(list ...*runs.Run) []canvas.Figure {
		return must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	}
	both := named(original.New(t), plain.New(t))
	require.Len(t, both, 2)
	assert.Equal(t, []string{"figure-11-tme9-lstm-adam-default", "figure-11-tme9-lstm-adam-original"}, []string{both[0].Name, both[1].Name})
	assert.Equal(t, []string{"Figure 11. tme9-lstm adam: 82.5 % on test, lowest test loss after epoch 1 of 4", ""}, []string{both[0].Title, both[0].Other})
	other := named(sample.New(t))[0]
	assert.Equal(t, []string{"Figure 11 (Embedded sample). tme9-lstm adam: 82.5 % on test, lowest test loss after epoch 1 of 4", "Embedded sample"}, []string{other.Title, other.Other})
}
