package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// The thresholds behind the verdicts, all in one place.
const (
	// A model overfits when its train accuracy is this many points above its test accuracy.
	// In the tables of the report, models that it calls overfitted have 2.3 and more, the
	// others 1.9 and less.
	overfitGap = 2.0
	// A model also overfits when its test loss ends this far above its minimum (nats): ten
	// times the change from epoch to epoch at suitable learning rates.
	overfitRise = 0.02
	// Mean entropies closer than a bin of the histograms (nats) are indistinguishable in the
	// figures.
	entropyMoves = 0.1
	// Entropies near zero: e^0.5 is less than two words.
	entropyZero = 0.5
	// "Five points" were rounded.
	fivePoints = 4.5
	// A small cost in accuracy, in points: twice the half-width of the interval of an
	// accuracy on 25 000 reviews.
	smallCost = 1.0
	// The same accuracy, in points, for the same reason.
	sameAccuracy = 1.0
	// A model has learned something above this accuracy (percent); chance is 50.
	learned = 55.0
	// Training is unstable when test accuracy moves by this many points from epoch to
	// epoch on average, over the second half of training: three standard errors of an
	// accuracy on 25 000 reviews.
	unstable = 1.0
	// A stabilising change reduces these movements to at most this share.
	calmer = 0.8
	// A collapse, in points below the same model without the change.
	collapse = 5.0
	// A model still learns when its train loss falls by this much in ten epochs (nats). Over
	// a hundred epochs this is half of overfitRise.
	stillFalls = 0.001
	// The epochs during which the report says that entropies fall.
	earlyEpochs = 30
	// A small gain in points: the published 2.3, rounded up.
	little = 3.0
	// Frequently, as a share of the reviews.
	frequently = 0.5
	// Two orders agree only weakly below this τ: fewer than three of four pairs of words are
	// in the same order.
	weakTau = 0.5
	// The limit claimed by the report, in percent.
	limit85 = 85.0
)

// rowOf is a row of the report: an experiment, its optimizer and further settings.
type rowOf struct {
	name, optimizer string   // "" is any optimizer, of a model that counts n-grams
	settings        []string // key=value
}

func (r rowOf) String() string {
	return strings.Join(append(strings.Fields(r.name+" "+r.optimizer), r.settings...), " ")
}

// with returns the row with more settings.
func (r rowOf) with(settings ...string) rowOf {
	r.settings = append(slices.Clone(r.settings), settings...)
	return r
}

// evidence finds the runs of one variant.
type evidence struct {
	variant string
	list    []*runs.Run // finished, on the full IMDB with GloVe, of the variant
	fewer   []*runs.Run // the same, trained on a part of IMDB; used only by rows that set data.train
	missing []rowOf

	explained   []Explained
	unexplained [][]string // commands of exp, as words, that would add the missing explanations

	sides map[string]compare.Side
	read  map[*runs.Run][]runs.Metrics
	errs  []error
}

// newEvidence selects the runs that are comparable with the report. Runs that set other vectors are not.
func newEvidence(list []*runs.Run, explained []Explained, variant string) *evidence {
	e := &evidence{variant: variant, explained: explained, sides: map[string]compare.Side{}, read: map[*runs.Run][]runs.Metrics{}}
	seen := map[string]bool{} // the user may name a run twice, and folders may hold copies of it
	for _, r := range list {
		otherVectors := slices.ContainsFunc(r.Config.Given(), func(s runs.Value) bool { return s.Key == "vectors" && s.Value != "glove50" })
		if seen[r.Label()] || cmp.Or(r.Config.Variant, "default") != variant || r.Status.State != runs.Finished || otherVectors {
			continue
		}
		seen[r.Label()] = true
		switch {
		case report.FullIMDB(&r.Config):
			e.list = append(e.list, r)
		case report.PartOfIMDB(&r.Config):
			e.fewer = append(e.fewer, r)
		}
	}
	return e
}

// need returns the runs of a row, one per seed. If there are none, it returns nil and
// records the row as missing. It uses the newest result version and, among several
// matching settings, the one with the most seeds. The free settings may have any value.
func (e *evidence) need(row rowOf, free ...string) []*runs.Run {
	groups := report.BySetting(report.Filter(slices.Concat(e.list, e.fewer), func(r *runs.Run) bool { return row.fits(r, free...) }))
	if len(groups) == 0 {
		e.lacks(row)
		return nil
	}
	best := slices.MinFunc(groups, func(a, b []*runs.Run) int {
		return cmp.Or(a[0].Config.Behind()-b[0].Config.Behind(), len(b)-len(a))
	})
	return slices.CompactFunc(best, func(a, b *runs.Run) bool { return a.Config.Seed() == b.Config.Seed() })
}

// lacks records a row as missing. If a run that it depends on is missing too, that comes first.
func (e *evidence) lacks(row rowOf) {
	for _, s := range row.settings {
		key, base, _ := strings.Cut(s, "=")
		if (key == "attention.base" || key == "init") && !slices.ContainsFunc(e.list, func(r *runs.Run) bool { return r.Config.Name == base }) {
			e.lacks(rowOf{name: base, optimizer: row.optimizer})
		}
	}
	if !slices.ContainsFunc(e.missing, func(m rowOf) bool { return m.String() == row.String() }) {
		e.missing = append(e.missing, row)
	}
}

// fits reports whether a run matches the row and sets nothing else except free settings.
func (r rowOf) fits(run *runs.Run, free ...string) bool {
	c := &run.Config
	if c.Name != r.name || r.optimizer != "" && c.General().Optimizer.Optimizer != r.optimizer {
		return false
	}
	for _, a := range r.settings {
		key, value, _ := strings.Cut(a, "=")
		if own := c.Setting(key); own != value && !cites(own, value) {
			return false
		}
	}
	if run.Config.Untested() && slices.Contains(free, "test") { // no final test accuracy
		return false
	}
	for _, s := range c.Given() {
		asked := slices.ContainsFunc(r.settings, func(a string) bool { return strings.HasPrefix(a, s.Key+"=") })
		if !asked && !slices.Contains(free, s.Key) && !slices.Contains(report.ColumnKeys, s.Key) && s.Key+"="+s.Value != "vectors=glove50" {
			return false
		}
	}
	return true
}

// cites reports whether a setting is the citation of a run of the named experiment.
func cites(setting, name string) bool {
	c, err := runs.ParseCitation(setting)
	return err == nil && c.Name == name
}

// side reads the predictions of runs once.
func (e *evidence) side(name string, list []*runs.Run) compare.Side {
	key := name
	for _, r := range list {
		key += "\n" + r.Path
	}
	s, ok := e.sides[key]
	if !ok {
		s = must(compare.ReadSide(name, list))
		e.sides[key] = s
	}
	return s
}

// metrics returns the metrics of the runs that have any.
func (e *evidence) metrics(list []*runs.Run) [][]runs.Metrics {
	return slices.DeleteFunc(report.Map(list, e.metricsOf), func(m []runs.Metrics) bool { return len(m) == 0 })
}

// metricsOf reads the metrics of a run once.
func (e *evidence) metricsOf(r *runs.Run) []runs.Metrics {
	m, known := e.read[r]
	if !known {
		var err error
		if m, err = r.Metrics(); err != nil {
			e.errs = append(e.errs, fmt.Errorf("%s: %w", r.Label(), err))
		}
		e.read[r] = m
	}
	return m
}

// chosen returns the metrics of a run's chosen epoch, without any if it cannot be read.
func (e *evidence) chosen(r *runs.Run) *runs.Metrics {
	all := e.metricsOf(r)
	i := slices.IndexFunc(all, func(m runs.Metrics) bool { return m.Epoch == r.ChosenEpoch() })
	if i < 0 {
		return new(runs.Metrics)
	}
	return &all[i]
}

// testedEach reports whether a run was tested after each epoch. Runs older than the setting
// were.
func testedEach(r *runs.Run) bool { return r.Config.General().Tests(1) }

// firstSeed names the seed of a finding that uses only the first of several seeds.
func firstSeed(list []*runs.Run) string {
	if len(list) < 2 {
		return ""
	}
	return fmt.Sprintf(" (of %d seeds: seed %d)", len(list), list[0].Config.Seed())
}

// meanOf averages a number over the runs.
func meanOf(all [][]runs.Metrics, of func([]runs.Metrics) float64) float64 {
	return stats.Summarise(report.Map(all, of)).Mean
}
