package claims

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// This file holds claims of the debate on whether attention explains, which accuracies and
// the results of exp explain can decide. Jain and Wallace's numbers for IMDB are from their
// repository (successar/AttentionExplanation, commit d74cab1, graph_outputs). Wiegreffe and
// Pinter's numbers could not be checked against their paper and are marked as not verified.

// Results of exp explain, by the names of its tests and scores.
var (
	gradientTau, leaveOutTau = number{"agreement", "τ", gradient, ""}, number{"agreement", "τ", leaveOut, ""}
	negativeTau, positiveTau = number{"agreement", "τ by part", gradient, "predicted neg"}, number{"agreement", "τ by part", gradient, "predicted pos"}
	significant              = number{"agreement", "significant", gradient, ""}
	aboveGradient            = number{"agreement", "τ above attention's", gradient + " with " + leaveOut, "with " + gradient}
	aboveLeaveOut            = number{"agreement", "τ above attention's", gradient + " with " + leaveOut, "with " + leaveOut}
	farReviews               = number{"adversary", "reviews at 0.6 or more", "ε = 0.01", ""}
	nearWeights, farWeights  = number{"retrained", "divergence of weights", "adversary, λ = 0", ""}, number{"retrained", "divergence of weights", "adversary, λ = 0.001", ""}
	nearAnswers, farAnswers  = number{"retrained", "difference of answers", "adversary, λ = 0", ""}, number{"retrained", "difference of answers", "adversary, λ = 0.001", ""}
	seedWeights, seedAnswers = number{"retrained", "divergence of weights", "another seed", ""}, number{"retrained", "difference of answers", "another seed", ""}
	askedOf                  = []number{gradientTau, leaveOutTau, negativeTau, positiveTau, significant, aboveGradient, aboveLeaveOut, farReviews, nearWeights, farWeights, nearAnswers, farAnswers, seedWeights, seedAnswers}
)

const gradient, leaveOut = "gradient × input", "leave one out"

// theirs describes how the models of the papers differ from ours.
const theirs = "There: an LSTM of 128 in each direction on trained vectors of 300, reviews of less than 400 words, a fifth of the test reviews; here: 50 in one direction, GloVe as it is"

// ofDebate holds the claims of the two papers.
var ofDebate = []Claim{
	{Section: "Jain and Wallace 2019, abstract", Quote: "Learned attention weights are frequently uncorrelated with gradient-based measures of feature importance.",
		Rule: "the share of reviews in which τ of attention and gradient × input differs from 0 (p < 0.05) is below a half: additive. Their share on IMDB is 1.00 of the reviews predicted negative, 0.99 of those predicted positive. " + theirs,
		only: "default", check: explained(additiveAdam, []number{significant}, func(n []statistic) finding {
			return found(below(n[0].interval, frequently), "share of reviews %s", n[0])
		})},
	{Section: "Jain and Wallace 2019, 4.1", Quote: "Over the states of an LSTM the order of attention is only weakly that of other scores (IMDB: τ with gradients 0.38 of reviews called negative and 0.37 of those called positive, with leaving out 0.32 and 0.29).",
		Rule: "mean τ of attention with gradient × input and with leaving out below 0.5, where three of four pairs of words are in the same order: additive. " + theirs,
		only: "default", check: explained(additiveAdam, []number{gradientTau, leaveOutTau, negativeTau, positiveTau}, func(n []statistic) finding {
			return found(below(n[0].interval, weakTau).and(below(n[1].interval, weakTau)),
				"τ with gradient × input %s, called negative %s, called positive %s; with leaving out %s", n[0], n[2].short(), n[3].short(), n[1])
		})},
	{Section: "Jain and Wallace 2019, 4.1", Quote: "Where words are averaged and no recurrence has read them, attention agrees far better with gradients (IMDB: τ 0.67 and 0.66).",
		Rule: "mean τ of attention with gradient × input in tme9-simple above that in additive, by more than noise. There an average of words that a layer has projected",
		only: "default", check: explainedBoth(simpleAdam, additiveAdam, gradientTau)},
	{Section: "Jain and Wallace 2019, 4.1", Quote: "Gradients and leaving out agree more with each other than attention does with either (IMDB: τ by 0.18 more than attention with gradients, by 0.08 more than attention with leaving out).",
		Rule: "both means above 0 by more than noise: additive. Leaving out is measured by the margin here, by the probability there. " + theirs,
		only: "default", check: explained(additiveAdam, []number{aboveGradient, aboveLeaveOut}, func(n []statistic) finding {
			return found(above(n[0].interval, 0).and(above(n[1].interval, 0)), "τ more than attention with gradient × input %s, with leaving out %s", n[0], n[1])
		})},
	{Section: "Jain and Wallace 2019, abstract", Quote: "One can identify very different attention distributions that nonetheless yield equivalent predictions.",
		Rule: "in more than half of the reviews weights at a divergence of 0.6 or more (of at most 0.69) move no probability by more than 0.01: additive. For IMDB they published a histogram, no number",
		only: "default", check: explained(additiveAdam, []number{farReviews}, func(n []statistic) finding {
			return found(above(n[0].interval, frequently), "share of reviews %s", n[0])
		})},
	{Section: "Wiegreffe and Pinter 2019, 3.1", Quote: "On IMDb learned weights gain little over uniform ones (table 2, not verified: F1 0.902 and 0.879).",
		Rule: "additive lies less than 3 points above attention=uniform. " + theirs + ", all of test. The points are of accuracy; the evidence also gives F1",
		only: "default", check: all(not(gains(additiveAdam.with("attention=uniform"), additiveAdam, little)), tellsF1(additiveAdam), tellsF1(additiveAdam.with("attention=uniform")))},
	{Section: "Wiegreffe and Pinter 2019, 3.3", Quote: "The weights of an LSTM help a network that sees each word alone more than uniform weights do (table 3).",
		Rule: "tme9-values with tanh values and the weights of additive imposed is better than with uniform weights, by more than noise",
		only: "default", check: gains(valuesAdam.with("value.activation=tanh", "attention=uniform"),
			valuesAdam.with("value.activation=tanh", "attention=imposed", "attention.base=additive"), 0)},
	{Section: "Wiegreffe and Pinter 2019, 4", Quote: "A model that is trained to attend elsewhere in all reviews pays with its answers (figure 5, a curve without numbers).",
		Rule: "an adversary with λ = 0.001 lies farther from tme9-lstm than one with λ = 0, in its weights and in its answers, by more than noise; the evidence also gives another seed",
		only: "default", check: explained(lstmAdam, []number{nearWeights, farWeights, nearAnswers, farAnswers, seedWeights, seedAnswers}, func(n []statistic) finding {
			return found(n[1].aboveThat(n[0]).and(n[3].aboveThat(n[2])),
				"divergence of weights %s with λ = 0, %s with 0.001, %s of another seed; difference of answers %s, %s, %s",
				n[0].short(), n[1].short(), n[4].short(), n[2].short(), n[3].short(), n[5].short())
		}, adversaryOf(lstmAdam, "0"), adversaryOf(lstmAdam, "0.001"))},
}

// adversaryOf returns the row of the adversary of a row.
func adversaryOf(row rowOf, lambda string) rowOf {
	return row.with("attention=adversarial", "attention.base="+row.name, "attention.lambda="+lambda)
}

// Explained is the result of a test of exp explain on a run.
type Explained struct {
	Run    string // ID
	Test   string // its name
	Values []ExplainedValue
}

// ExplainedValue is one number with its 95 % interval, which is NaN if there is none.
type ExplainedValue struct {
	Statistic, Of, Part string // as in explain.csv
	Reviews             int    // number of reviews
	Value, Low, High    float64
	Within              stats.Interval // possible range of the number
}

// number names a number in the results of exp explain.
type number struct{ test, statistic, of, part string }

// Asked returns the test, statistic, score and part of each number used by the claims.
func Asked() [][4]string {
	return report.Map(askedOf, func(n number) [4]string { return [4]string{n.test, n.statistic, n.of, n.part} })
}

// statistic is a number of one setting: the mean over its seeds, with an interval over seeds and
// reviews. With a single seed the interval covers reviews only.
type statistic struct {
	mean           float64
	interval       stats.Interval
	seeds, reviews int
}

// String formats the number with its interval: 0.31 (0.30 to 0.32).
func (t statistic) String() string { return within(t.mean, t.interval) }

func (t statistic) short() string { return format.Fixed(t.mean, 2) }

// aboveThat judges whether the number is larger than another, assuming independence.
func (t statistic) aboveThat(o statistic) Verdict {
	low := math.Hypot(t.mean-t.interval.Low, o.interval.High-o.mean) // intervals may be asymmetric
	high := math.Hypot(t.interval.High-t.mean, o.mean-o.interval.Low)
	return above(stats.Interval{Low: t.mean - o.mean - low, High: t.mean - o.mean + high}, 0)
}

// explained returns a rule on the results of exp explain for a row's runs of any number of
// epochs. The other rows must have been run.
func explained(row rowOf, numbers []number, check func([]statistic) finding, others ...rowOf) rule {
	return func(e *evidence) finding {
		n := e.explainedNumbers(row, numbers)
		for _, o := range others {
			e.need(o, whole...)
		}
		if n == nil {
			return finding{verdict: NotRun}
		}
		f := check(n)
		return found(f.verdict, "%s%s: %s", row, n[0].from(), f.numbers)
	}
}

// explainedBoth checks that a number is larger for one row than for another.
func explainedBoth(row, than rowOf, n number) rule {
	return func(e *evidence) finding {
		a, b := e.explainedNumbers(row, []number{n}), e.explainedNumbers(than, []number{n})
		if a == nil || b == nil {
			return finding{verdict: NotRun}
		}
		return found(a[0].aboveThat(b[0]), "%s%s: %s; %s%s: %s", row, a[0].from(), a[0], than, b[0].from(), b[0])
	}
}

// from describes the seeds and reviews behind the number.
func (t statistic) from() string {
	return fmt.Sprintf(" (%s, %d reviews)", format.Counted(t.seeds, "seed"), t.reviews)
}

// explainedNumbers returns numbers over the runs of a row that have all of them, of a setting as need takes it. If there
// are none, it returns nil and records the missing run or explanation.
func (e *evidence) explainedNumbers(row rowOf, numbers []number) []statistic {
	found := e.need(row, whole...)
	if found == nil {
		return nil
	}
	fit := report.Filter(e.list, func(r *runs.Run) bool {
		return row.fits(r, whole...) && r.Config.Behind() == found[0].Config.Behind()
	})
	var best [][]ExplainedValue // of each run
	for _, group := range report.BySetting(fit) {
		values := report.Map(group, func(r *runs.Run) []ExplainedValue { return e.valuesOf(r, numbers) })
		values = slices.DeleteFunc(values, func(v []ExplainedValue) bool { return v == nil })
		if len(values) > len(best) {
			best = values
		}
	}
	if best == nil {
		words := []string{"explain"}
		words = append(words, report.Map(found, func(r *runs.Run) string { return r.Config.ShortID() })...)
		e.unexplained = append(e.unexplained, append(words, "--tests", numbers[0].test, "--out", "explained"))
		return nil
	}
	out := make([]statistic, len(numbers))
	for i := range numbers {
		values, own := make([]float64, len(best)), make([]stats.Interval, len(best))
		for k := range best {
			values[k], own[k] = best[k][i].Value, stats.Interval{Low: best[k][i].Low, High: best[k][i].High}
		}
		mean, interval := stats.OverSeeds(values, own, best[0][i].Within)
		out[i] = statistic{mean, interval, len(best), best[0][i].Reviews}
	}
	return out
}

// valuesOf returns the numbers of a run, or nil unless it has all of them. Among several
// results it uses the one with the most reviews.
func (e *evidence) valuesOf(r *runs.Run, numbers []number) (best []ExplainedValue) {
	for _, x := range e.explained {
		if x.Run != r.Config.ID || x.Test != numbers[0].test {
			continue
		}
		var list []ExplainedValue
		for _, w := range numbers {
			i := slices.IndexFunc(x.Values, func(v ExplainedValue) bool { return v.Statistic == w.statistic && v.Of == w.of && v.Part == w.part })
			if i >= 0 {
				list = append(list, x.Values[i])
			}
		}
		if len(list) == len(numbers) && (best == nil || list[0].Reviews > best[0].Reviews) {
			best = list
		}
	}
	return best
}

// This file holds claims about minimal pairs: reviews that people rewrote so that only the sentiment
// changes (Kaushik, Hovy and Lipton 2020), of which no model was trained on either text. They use the
// answers that exp probe keeps with the runs.

// minimalPairs are the published pairs that exp data fetch minimal installs. Of its sets those of
// Kaushik et al. count, which have no review in common.
var minimalPairs = runs.ProbeKey{Probe: "minimal", Digest: "2078f73cd9e0"}

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
		p, err := r.Probe(minimalPairs)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		original, rewritten := compare.RightPairs(must(p, err), func(set string) bool { return strings.HasPrefix(set, rewrittenSets) })
		out.list, out.original, out.rewritten = append(out.list, r), append(out.original, original), append(out.rewritten, rewritten)
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
