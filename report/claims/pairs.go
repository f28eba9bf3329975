package claims

import (
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// This file holds claims about minimal pairs: reviews that people rewrote so that only the sentiment
// changes (Kaushik, Hovy and Lipton 2020), of which no model was trained on either text. They use the
// answers that exp probe keeps beside the runs.

// minimalPairs are the published pairs that exp data fetch minimal installs. Of its sets those of
// Kaushik et al. count, which have no review in common.
var minimalPairs = runs.ProbeAnswers{Probe: "minimal", Digest: "2078f73cd9e0"}

const rewrittenSets = "cad_"

// The rows that were trained without the texts of the pairs.
var (
	countsAlone = withoutPairs(rowOf{name: "nbsvm"})
	meanAlone   = withoutPairs(meanAdam)
	simpleAlone = withoutPairs(simpleAdam)
	lstmAlone   = withoutPairs(lstmAdam).with("epochs=12")
)

func withoutPairs(r rowOf) rowOf { return r.with("data.exclude=" + minimalPairs.Probe) }

const onPairs = " Of the 2 440 pairs of Kaushik et al., whose texts are left out of training (data.exclude=minimal)"

var ofPairs = []Claim{
	{Section: "Minimal pairs", Quote: "N-gram models lose more on rewritten texts than attention models do.",
		Rule: "from originals to rewritings nbsvm loses more points than tme9-lstm (12 epochs) and than tme9-simple, by more than noise." + onPairs,
		only: "default", check: all(losesMore(countsAlone, lstmAlone), losesMore(countsAlone, simpleAlone))},
	{Section: "Minimal pairs", Quote: "Counting wins on IMDB's test set, attention on rewritten texts.",
		Rule: "nbsvm is better than tme9-lstm (12 epochs) on test, and worse on the rewritings, by more than noise." + onPairs,
		only: "default", check: all(costs(countsAlone, lstmAlone), readsBetter(countsAlone, lstmAlone))},
	{Section: "Minimal pairs", Quote: "Learned attention beats uniform weights on rewritten texts.",
		Rule: "tme9-lstm (12 epochs) is better on the rewritings than with attention=uniform, by more than noise." + onPairs,
		only: "default", check: readsBetter(lstmAlone.with("attention=uniform"), lstmAlone)},
	{Section: "Minimal pairs", Quote: "A mean of the same vectors does not read.",
		Rule: "tme9-mean is worse on the rewritings than tme9-simple by more than noise, and its accuracy there is below 55, where chance is 50." + onPairs,
		only: "default", check: all(readsBetter(meanAlone, simpleAlone), doesNotRead(meanAlone))},
}

// answered is which texts of the pairs the runs of a row got right.
type answered struct {
	row                 rowOf
	list                []*runs.Run
	original, rewritten stats.Outcomes
}

// probed returns the answers of a row's runs to the pairs. If there are none, it returns nil and
// records the missing runs, or their missing answers.
func (e *evidence) probed(row rowOf) *answered {
	list := e.need(row, testSettings...)
	if list == nil {
		return nil
	}
	out := &answered{row: row}
	words := []string{"probe"}
	for _, r := range list {
		words = append(words, r.Config.ShortID())
		p, ok, err := r.Probe(minimalPairs)
		if must(ok, err) {
			original, rewritten := compare.RightPairs(p, func(set string) bool { return strings.HasPrefix(set, rewrittenSets) })
			out.list, out.original, out.rewritten = append(out.list, r), append(out.original, original), append(out.rewritten, rewritten)
		}
	}
	if len(out.list) == 0 {
		e.unexplained = append(e.unexplained, append(words, "--on", minimalPairs.Probe))
		return nil
	}
	return out
}

// paired reports whether two rows have the same seeds.
func (a *answered) paired(b *answered) bool {
	return slices.EqualFunc(a.list, b.list, func(x, y *runs.Run) bool { return x.Config.Seed() == y.Config.Seed() })
}

// onProbed returns a rule on the answers of two rows to the pairs: the mean of a number of each pair
// is larger for the second than for the first, by more than noise.
func onProbed(a, b rowOf, what string, of func(*answered) stats.Values) rule {
	return func(e *evidence) finding {
		x, y := e.probed(a), e.probed(b)
		if x == nil || y == nil {
			return finding{verdict: NotRun}
		}
		d := must(stats.CrossedValues(of(x), of(y), x.paired(y)))
		points := d.Interval.Times(100)
		return found(above(points, 0), "%s, %s − %s: %s points (%s), %d and %d seeds", what, short(b), short(a),
			format.Signed(100*d.Difference), format.FromTo(points.Low, points.High), len(y.list), len(x.list))
	}
}

// short names a row without the setting that all rows here have.
func short(r rowOf) string {
	return strings.Replace(r.String(), " data.exclude="+minimalPairs.Probe, "", 1)
}

// losesMore checks that a loses more than b from originals to rewritings.
func losesMore(a, b rowOf) rule {
	return onProbed(a, b, "from originals to rewritings", func(x *answered) stats.Values {
		out := x.rewritten.Values()
		for s, run := range x.original.Values() {
			for i, v := range run {
				out[s][i] -= v
			}
		}
		return out
	})
}

// readsBetter checks that b is better than a on the rewritings.
func readsBetter(a, b rowOf) rule {
	return onProbed(a, b, "on rewritings", func(x *answered) stats.Values { return x.rewritten.Values() })
}

// doesNotRead checks that a row's accuracy on the rewritings is about that of chance.
func doesNotRead(row rowOf) rule {
	return func(e *evidence) finding {
		x := e.probed(row)
		if x == nil {
			return finding{verdict: NotRun}
		}
		var own []stats.Interval
		values := x.rewritten.Accuracies()
		for i := range values {
			values[i] *= 100
			own = append(own, stats.WilsonPercent(values[i], len(x.rewritten[i])))
		}
		mean, interval := stats.OverSeeds(values, own, stats.Interval{High: 100})
		return found(below(interval, learned), "%s on rewritings: %s", short(row), within(mean, interval))
	}
}
