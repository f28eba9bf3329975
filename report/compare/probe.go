package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/probe"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Probed has the accuracy of the runs of a setting, one per seed, on a set of minimal pairs.
type Probed struct {
	Name, Set string
	Runs      []*runs.Run
	Pairs     int
	Leaked    bool // the runs were trained on texts of the probe

	Test                stats.Moments // accuracy on the test set, percent; N is 0 if unknown
	Originals           stats.Moments // accuracies in percent
	Rewritings          stats.Moments
	Both                stats.Moments // both texts of a pair right: consistency (Gardner et al. 2020)
	Drop                stats.Estimate
	Against             stats.Estimate // difference from the first setting on rewritings; zero for the first
	Adjusted            float64        // Against.P by Holm's method; NaN for the first setting
	original, rewritten stats.Outcomes
}

// NewProbed compares the predictions that the runs of a setting make for the texts of a probe with
// the labels of the texts, for each set of the probe. name is what tables call the setting.
func NewProbed(name string, group []*runs.Run, answers []*runs.Predictions) (out []*Probed, err error) {
	var sets []string
	for _, row := range answers[0].Rows {
		set, _ := setOf(row.Review)
		sets = report.Union(sets, set)
	}
	var test []float64
	for _, run := range group {
		if m, err := run.Chosen(); err == nil && m.TestAcc != nil {
			test = append(test, *m.TestAcc)
		}
	}
	for _, set := range sets {
		x := &Probed{Name: name, Set: set, Runs: group, Test: stats.Summarise(test)}
		var both stats.Outcomes
		for _, a := range answers {
			original, rewritten := RightPairs(a, func(s string) bool { return s == set })
			if x.Pairs = len(original); x.Pairs != len(rewritten) {
				return nil, fmt.Errorf("%s: %d originals and %d rewritings of %s: remove its answers and run exp probe again", name, x.Pairs, len(rewritten), set)
			}
			right := slices.Clone(original)
			for i, r := range rewritten {
				right[i] = right[i] && r
			}
			x.original, x.rewritten, both = append(x.original, original), append(x.rewritten, rewritten), append(both, right)
		}
		x.Originals, x.Rewritings, x.Both = summariseOutcomes(x.original), summariseOutcomes(x.rewritten), summariseOutcomes(both)
		if x.Drop, _, err = estimate(x.original, x.rewritten, true); err != nil {
			return nil, fmt.Errorf("%s on %s: %w", name, set, err)
		}
		out = append(out, x)
	}
	return out, nil
}

// setOf returns the set of a text of a probe, and whether it is an original.
func setOf(text string) (set string, original bool) {
	set, _, _ = strings.Cut(text, "/")
	return set, strings.HasSuffix(text, probe.OriginalText)
}

// RightPairs returns which originals and which rewritings are answered correctly, in some sets of a probe.
func RightPairs(answers *runs.Predictions, in func(set string) bool) (originals, rewritings []bool) {
	for _, row := range answers.Rows {
		set, original := setOf(row.Review)
		switch right := row.Predicted == row.Label; {
		case !in(set):
		case original:
			originals = append(originals, right)
		default:
			rewritings = append(rewritings, right)
		}
	}
	return originals, rewritings
}

// ProbeTable compares settings on minimal pairs, each with the first setting.
type ProbeTable struct {
	render.View // a section for each set
	Probe       string
	Rows        []*Probed // by set; each set has the settings in the same order
}

// ByTest sorts settings by decreasing accuracy on the test set.
func ByTest(groups [][]*Probed) {
	slices.SortStableFunc(groups, func(a, b []*Probed) int { return cmp.Compare(b[0].Test.Mean, a[0].Test.Mean) })
}

// Probe compares each setting with the first by accuracy on rewritings.
func Probe(name string, groups [][]*Probed) (*ProbeTable, error) {
	t := &ProbeTable{Probe: name}
	seeds := func(x *Probed) []uint64 {
		return report.Map(x.Runs, func(r *runs.Run) uint64 { return r.Config.Seed() })
	}
	var p []float64
	for i, first := range groups[0] {
		first.Adjusted = math.NaN()
		for k, g := range groups {
			t.Rows = append(t.Rows, g[i])
			if k > 0 {
				var err error
				if g[i].Against, _, err = estimate(first.rewritten, g[i].rewritten, slices.Equal(seeds(first), seeds(g[i]))); err != nil {
					return nil, err
				}
				p = append(p, g[i].Against.P)
			}
		}
	}
	adjusted, n := stats.Holm(p), len(groups)
	for i, x := range t.Rows {
		if k := i % n; k > 0 {
			x.Adjusted = adjusted[i/n*(n-1)+k-1]
		}
	}
	for rows := range slices.Chunk(t.Rows, n) {
		t.Sections = append(t.Sections, t.section(rows))
	}
	return t, nil
}

// OnRewritings returns the accuracy of the setting on the rewritings of all sets of its table, in
// percent, and their number.
func (x *Probed) OnRewritings(t *ProbeTable) (accuracy float64, pairs int) {
	for _, y := range t.Rows {
		if y.Name == x.Name {
			accuracy += y.Rewritings.Mean * float64(y.Pairs)
			pairs += y.Pairs
		}
	}
	return accuracy / float64(max(1, pairs)), pairs
}

// Probes returns a table for each probe that finished runs of the list have answered. Settings are
// sorted by test accuracy.
func Probes(list []*runs.Run) (tables []*ProbeTable, err error) {
	byProbe := map[runs.ProbeKey][]*runs.Run{}
	for _, run := range list {
		if run.Status.State != runs.Finished {
			continue
		}
		kept, err := run.Probes()
		if err != nil {
			return nil, err
		}
		for _, of := range kept {
			byProbe[of] = append(byProbe[of], run)
		}
	}
	probes := slices.SortedFunc(maps.Keys(byProbe), func(a, b runs.ProbeKey) int {
		return cmp.Or(cmp.Compare(a.Probe, b.Probe), cmp.Compare(a.Digest, b.Digest))
	})
	for _, of := range probes {
		groups := report.BySetting(byProbe[of])
		var probed [][]*Probed
		for i, name := range report.Names(groups) {
			answers := make([]*runs.Predictions, len(groups[i]))
			for k, run := range groups[i] {
				if answers[k], err = run.Probe(of); err != nil {
					return nil, err
				}
			}
			x, err := NewProbed(ProbeName(name, of.Probe), groups[i], answers)
			if err != nil {
				return nil, err
			}
			probed = append(probed, x)
		}
		ByTest(probed)
		t, err := Probe(of.Probe, probed)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// ProbeName removes from the name of a setting what all rows of a probe's table share.
func ProbeName(name, probe string) string {
	for _, same := range []string{" data.exclude=" + probe, " test=last"} {
		name = strings.Replace(name, same, "", 1)
	}
	return name
}

func (t *ProbeTable) section(rows []*Probed) render.Section {
	var notes render.Footnotes
	several := len(rows) > 1
	table := render.NewTable("", term.Column{Keep: true}, render.Numbers("test", 3), render.Numbers("originals", 0), render.Numbers("rewritten", 0),
		render.Numbers("both right", 1), render.Numbers("drop", 0), render.Numbers("95 % interval", 2))
	keys := "Accuracies in percent, differences in points. Rewritten: texts that people changed so that another label is right. " +
		"Both right: share of pairs. Drop: from originals to rewritten. ±: standard deviation over (n) seeds."
	if several {
		table.Columns = append(table.Columns, render.Numbers("against first", 4), render.Numbers("95 % interval", 5), render.Numbers(adjustedHead, 4))
		keys += fmt.Sprintf(" Against first: rewritten, compared with %s; %s is adjusted for all %d comparisons, intervals are not.", rows[0].Name, adjustedHead, len(t.Rows)-len(t.Rows)/len(rows))
	}
	change := func(e stats.Estimate) []term.Cell {
		return []term.Cell{{Text: format.Signed(e.Difference)}, {Text: format.FromTo(e.Interval.Low, e.Interval.High)}}
	}
	for i, x := range rows {
		var leaked []report.Note
		if x.Leaked {
			leaked = []report.Note{{Kind: report.Leaked, Text: "trained on texts of the probe, so these accuracies are too good"}}
		}
		row := append([]term.Cell{{Text: x.Name, Marks: notes.Mark(leaked)}, render.Mean(x.Test, 2), render.Mean(x.Originals, 2),
			render.Mean(x.Rewritings, 2), render.Mean(x.Both, 2)}, change(x.Drop)...)
		if i > 0 {
			row = append(append(row, change(x.Against)...), term.Cell{Text: probability(x.Adjusted)})
		}
		table.AddCells(append(row, make([]term.Cell, len(table.Columns)-len(row))...)...)
	}
	return render.Section{
		Title: fmt.Sprintf("%s: %s of %s", rows[0].Set, format.Counted(rows[0].Pairs, "pair"), t.Probe),
		Words: conclusion(rows), Tables: []*term.Table{table}, Notes: notes.List, Keys: func([]string) string { return keys },
	}
}

// conclusion says which settings are best and worst on the rewritings.
func conclusion(rows []*Probed) []string {
	if len(rows) < 2 {
		return nil
	}
	order := slices.SortedStableFunc(slices.Values(rows), func(a, b *Probed) int { return cmp.Compare(b.Rewritings.Mean, a.Rewritings.Mean) })
	say := func(x *Probed) string {
		return fmt.Sprintf("%s of the originals and %s of the rewritings", format.Percent(x.Originals.Mean/100), format.Percent(x.Rewritings.Mean/100))
	}
	best, worst := order[0], order[len(order)-1]
	return []string{fmt.Sprintf("%s is best: it is right on %s. %s is worst: %s.", best.Name, say(best), worst.Name, say(worst))}
}

// Records returns a record for each set and setting. New columns are added at the end.
func (t *ProbeTable) Records() (lines term.Records) {
	first := t.Rows[0]
	for _, x := range t.Rows {
		if x.Set != first.Set {
			first = x
		}
		against := make([]string, 6)
		if x != first {
			against = []string{first.Name, format.Exact(x.Against.Difference), format.Exact(x.Against.Interval.Low), format.Exact(x.Against.Interval.High),
				format.Exact(x.Against.P), format.Exact(x.Adjusted)}
		}
		ids := report.Map(x.Runs, func(r *runs.Run) string { return r.Config.ID })
		whole, number := strconv.Itoa, format.Exact
		names, line := render.Record("probe", t.Probe, "set", x.Set, "setting", x.Name, "seeds", whole(len(x.Runs)), "pairs", whole(x.Pairs),
			"leaked", strconv.FormatBool(x.Leaked), "test_acc", number(x.Test.Mean), "originals_acc", number(x.Originals.Mean),
			"rewritten_acc", number(x.Rewritings.Mean), "rewritten_sd", number(x.Rewritings.SD), "both_right", number(x.Both.Mean),
			"drop_points", number(x.Drop.Difference), "drop_low", number(x.Drop.Interval.Low), "drop_high", number(x.Drop.Interval.High), "drop_p", number(x.Drop.P),
			"against", against[0], "difference_points", against[1], "low", against[2], "high", against[3], "p", against[4], "p_holm", against[5],
			"runs", strings.Join(ids, " "))
		if lines == nil {
			lines = term.Records{names}
		}
		lines = append(lines, line)
	}
	return lines
}
