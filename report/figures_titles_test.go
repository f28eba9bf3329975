package report_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// The most accurate setting is named where the intervals of 25 000 reviews say that it is.
func TestTitleOfComparison(t *testing.T) {
	for want, accuracies := range map[string][]float64{
		"tme9-a default is most accurate: 90.0 %":                                      {90, 88, 70},
		"tme9-a default and tme9-b default are most accurate; their intervals overlap": {90, 89.8, 70},
		"tme9-a default and 2 others are most accurate; their intervals overlap":       {90, 89.8, 89.7, 70},
		"No setting is clearly most accurate":                                          {90, 89.9, 89.8},
		"tme9-b default and tme9-a default are most accurate; their intervals overlap": {89.8, 90},
	} {
		var list []*runs.Run
		for i, accuracy := range accuracies {
			list = append(list, reporttest.Run{Name: "tme9-" + string(rune('a'+i)), Test: []float64{accuracy}}.New(t))
		}
		list = append(list, reporttest.Run{Name: "tme9-z", Variant: "original", Test: []float64{99}}.New(t)) // by an epoch chosen on test
		guesser := reporttest.IMDB
		guesser.Kind = runs.TextsKind
		list = append(list, reporttest.Run{Name: "lm-best", Data: guesser, Test: []float64{99.5}}.New(t)) // of guessed words
		assert.Equal(t, want, reporttest.Named(t, figures.Smoothed(0).Of(list), "comparison-imdb").Title)
		list = slices.DeleteFunc(list, func(r *runs.Run) bool { return r.Config.Variant == "original" })
		want = strings.ReplaceAll(want, " default", "") // the default goes without saying
		assert.Equal(t, want, reporttest.Named(t, figures.Smoothed(0).Of(list), "comparison-imdb").Title)
	}
}

func TestTitlesOfCurves(t *testing.T) {
	for want, m := range map[string]reporttest.Run{
		"tme9-lstm adam lr=0.5: 84.0 % on test, lowest test loss after epoch 1 of 4":                 {User: []string{"lr=0.5"}, Test: []float64{80, 84}},
		"tme9-lstm adam lr=0.25: 81.0 % on test, 88.5 % on train":                                    {User: []string{"lr=0.25"}, Test: []float64{math.NaN(), math.NaN(), math.NaN(), 81}},
		"tme9-lstm adam lr=0.2 original: 82.5 % on test, 66.0 % on train":                            {User: []string{"lr=0.2"}, Variant: "original", Epochs: 1, Unfinished: true},
		"tme9-lstm adam test=never: 79.0 % on validation, lowest validation loss after epoch 1 of 4": {User: []string{"test=never"}, Best: 2, Valid: 79},
	} {
		m.Name = "tme9-lstm"
		f := figureOf(t, m.New(t), "curves|figure-11")
		assert.Equal(t, want, strings.TrimPrefix(f.Title, "Figure 11. "))
	}
}

func TestTitlesOfEntropy(t *testing.T) {
	at := func(epoch int, nats float64) runs.Histogram { // all reviews in one bin around it
		return runs.Histogram{Epoch: epoch, Split: "test", Lo: nats - 0.05, Step: 0.1, Counts: []int{100}}
	}
	for want, nats := range map[string][]float64{
		"attention narrows from 100 to 5.0 of 228 words": {math.Log(100), math.Log(50), math.Log(5)},
		"attention widens from 5.0 to 100 of 228 words":  {math.Log(5), math.Log(100)},
		"attention is spread over 110 of 228 words":      {math.Log(100), math.Log(110)},
		"attention is spread over 228 of 228 words":      {math.Log(300)},
	} {
		var list []runs.Histogram
		for e, n := range nats {
			list = append(list, at(e+1, n))
		}
		f := figureOf(t, reporttest.Run{Name: "tme9-simple", Epochs: 1, Unfinished: true, Entropies: list}.New(t), "figure-16")
		assert.Equal(t, "Figure 16. tme9-simple adam: "+want, f.Title)
	}
}

// sureOf are 400 predictions with this confidence, of which a share is right: on the first half, of short reviews, and
// on the second.
func sureOf(confidence float32, short, long float64) *runs.Predictions {
	p := &runs.Predictions{Classes: []string{"a", "b"}}
	for i := range 400 {
		share := map[bool]float64{true: short, false: long}[i < 200]
		r := sure(confidence, float64(i%20) < 20*share)
		r.Words = 10 + i
		p.Rows = append(p.Rows, r)
	}
	return p
}

func TestTitlesOfPredictions(t *testing.T) {
	over, under, calibrated := sureOf(0.9, 0.8, 0.6), sureOf(0.6, 0.9, 0.9), sureOf(0.8, 0.8, 0.8)
	for _, c := range []struct {
		calibration, length string
		of                  []*runs.Predictions
	}{
		{"tme9-a is overconfident by 20.0 points", "tme9-a is worse on long reviews by 20.0 points", []*runs.Predictions{over}},
		{"tme9-a is underconfident by 30.0 points", "tme9-a is not clearly worse or better on long reviews", []*runs.Predictions{under}},
		{"tme9-a is not clearly over- or underconfident", "tme9-a is not clearly worse or better on long reviews", []*runs.Predictions{calibrated}},
		{"No run is clearly over- or underconfident", "No run is clearly worse or better on long reviews", []*runs.Predictions{calibrated, calibrated}},
		{"2 of 4 runs are overconfident, by up to 20.0 points (tme9-b); 1 is underconfident", "1 of 4 runs is worse on long reviews, by up to 20.0 points (tme9-b)",
			[]*runs.Predictions{calibrated, over, under, sureOf(0.85, 0.8, 0.7)}},
		{"1 of 2 runs is underconfident, by up to 30.0 points (tme9-b)", "1 of 2 runs is better on long reviews, by up to 30.0 points (tme9-a)",
			[]*runs.Predictions{sureOf(0.7, 0.55, 0.85), under}},
	} {
		var list []*runs.Run
		for i, p := range c.of {
			list = append(list, reporttest.Run{Name: "tme9-" + string(rune('a'+i)), Predictions: p}.New(t))
		}
		drawn := figures.Smoothed(0).Of(list)
		assert.Equal(t, c.calibration, reporttest.Named(t, drawn, "calibration-imdb").Title)
		assert.Equal(t, c.length, reporttest.Named(t, drawn, "length-imdb").Title)
	}
}

func TestTitlesOfLadders(t *testing.T) {
	title := func(p compare.LadderPlan) string { return figures.Waterfall(must.Get(compare.NewLadder(p))(t)).Title }
	p := reporttest.Plan()
	assert.Equal(t, "made up: putting back a costs most, 14.0 points", title(p))
	p.Single = nil
	assert.Equal(t, "made up: taking out a gains most, 20.0 points", title(p))
	p.States = p.States[1:3]
	assert.Equal(t, "made up: no slip has a clear effect", title(p))
}

// A number over a setting: seeds differ by 4, so the differences of 1 are not clear.
func TestTitlesOfTrends(t *testing.T) {
	for want, accuracies := range map[string][]float64{
		"Test accuracy is highest at lr=2: 82.00 %":                                        {60, 80, 70},
		"Test accuracy is highest at lr=3: 83.00 %; the difference from 2 is not clear":    {60, 80, 81},
		"Test accuracy is highest at lr=3: 83.00 %; the difference from 1, 2 is not clear": {79, 80, 81},
	} {
		var list []*runs.Run
		for i, accuracy := range accuracies {
			for seed, more := range []float64{0, 4} {
				user := []string{"lr=" + string(rune('1'+i)), "seed=" + string(rune('1'+seed))}
				list = append(list, reporttest.Run{Name: "tme9-mean", User: user, Test: []float64{accuracy + more}}.New(t))
			}
		}
		assert.Equal(t, want, must.Get(figures.Trend(list, "lr", nil))(t)[0].Title)
		alone := slices.DeleteFunc(slices.Clone(list), func(r *runs.Run) bool { return r.Config.Seed() == 2 })
		assert.Regexp(t, `^Test accuracy is highest at lr=[23]: [0-9.]+ %, of one seed$`, must.Get(figures.Trend(alone, "lr", nil))(t)[0].Title)
		loss := must.Get(figures.Trend(list, "lr", []string{"test_loss"}))(t)[0].Title
		assert.Regexp(t, `^Test loss is lowest at lr=1: 0.440; `, loss)
	}
}

// Two runs answer 100 pairs; the second is less accurate on the test set.
func TestTitlesOfProbes(t *testing.T) {
	for want, right := range map[string][2]int{
		"The best on the test set need not read best":             {60, 70},
		"The best on the test set is best on the rewritings, too": {70, 60},
	} {
		var list []*runs.Run
		for k, name := range []string{"tme9-lstm", "tme9-mean"} {
			r := reporttest.Run{Name: name, Test: []float64{float64(90 - k)}}.New(t)
			p := answers("set", strings.Repeat("r", right[k])+strings.Repeat("n", 100-right[k]))
			require.NoError(t, r.WriteProbe(runs.ProbeKey{Probe: "minimal", Digest: strings.Repeat("a", 64)}, p))
			list = append(list, r)
		}
		f := reporttest.Named(t, figures.Smoothed(0).Of(list), "probe-minimal")
		assert.Equal(t, want, f.Title)
		assert.Equal(t, []string{list[0].Label(), list[1].Label()}, f.Runs)
	}
}

// No hash of a run is drawn; title, caption and runs are in the metadata of both formats.
func TestMetadataOfFigures(t *testing.T) {
	list := append(reporttest.Models(t), reporttest.Run{Name: "tme9-simple", User: []string{"init=tme9-mean/0123456789ab"}, Predictions: reporttest.Guesses(50, 2)}.New(t))
	id := regexp.MustCompile(`\b[0-9a-f]{8}([0-9a-f]{4})?\b`)
	drawn := append(figures.Smoothed(0).Of(list), must.Get(figures.Trend(list, "epoch", nil))(t)...)
	for _, f := range drawn {
		require.NotEmpty(t, f.Runs, f.Name)
		var svg, picture bytes.Buffer
		require.NoError(t, f.Write(&svg, "svg", reporttest.SmallPicture))
		for _, m := range regexp.MustCompile(`<text[^>]*>([^<]*)<`).FindAllStringSubmatch(svg.String(), -1) {
			assert.NotRegexp(t, id, m[1], f.Name)
		}
		require.NoError(t, f.Write(&picture, "png", reporttest.SmallPicture))
		text := chunks(t, picture.Bytes())
		assert.Equal(t, f.Title, text["Title"])
		assert.Equal(t, f.Caption+" · runs: "+strings.Join(f.Runs, ", "), text["Description"])
		texts := checkInline(t, must.Get(f.Inline())(t), map[string]bool{})
		assert.Equal(t, text["Description"], texts["desc"])
		for _, named := range []string{"title", "desc"} {
			assert.Contains(t, svg.String(), "<"+named+">")
		}
		_, err := png.Decode(&picture)
		require.NoError(t, err, "readers of PNG check every chunk")
	}
}

// chunks returns the texts of a PNG by their keywords.
func chunks(t *testing.T, b []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	for b = b[8:]; len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		body := b[4 : 8+n]
		require.Equal(t, crc32.ChecksumIEEE(body), binary.BigEndian.Uint32(b[8+n:]))
		if key, text, ok := bytes.Cut(body[4:], []byte("\x00\x00\x00\x00\x00")); ok && string(body[:4]) == "iTXt" {
			out[string(key)] = string(text)
		}
		b = b[12+n:]
	}
	return out
}
