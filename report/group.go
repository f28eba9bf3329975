package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Grouped groups runs by their settings, each group in order of divisions of the data and of seeds. Finished groups come first,
// then those of the newest result version, then the longest.
func Grouped(list []*Result) [][]*Result {
	groups := GroupBy(list, SettingKey)
	for _, g := range groups {
		bySeed(g)
	}
	slices.SortFunc(groups, func(a, b []*Result) int {
		x, y := a[0], b[0]
		return cmp.Or(Further(x, y), cmp.Compare(x.Config.ID, y.Config.ID), cmp.Compare(x.Path, y.Path))
	})
	return groups
}

// bySeed orders runs of one setting by division of the data and seed, then by ID and path.
func bySeed(list []*Result) {
	slices.SortFunc(list, func(a, b *Result) int {
		return cmp.Or(cmp.Compare(a.Config.General().TestSeed, b.Config.General().TestSeed), cmp.Compare(a.Config.Seed(), b.Config.Seed()),
			cmp.Compare(a.Config.ID, b.Config.ID), cmp.Compare(a.Path, b.Path))
	})
}

// Further orders runs: finished ones first, then those of the newest result version, then the
// longest.
func Further(a, b *Result) int {
	unfinished := map[bool]int{false: 1}
	return cmp.Or(unfinished[a.Finished]-unfinished[b.Finished], a.Config.Behind()-b.Config.Behind(), b.Done-a.Done)
}

// ByExperiment orders runs as the rows of tables: by experiment, then by optimizer.
func ByExperiment(a, b *Result) int {
	return cmp.Or(a.Rank-b.Rank, cmp.Compare(a.Config.Name, b.Config.Name), cmp.Compare(a.Optimizer(), b.Optimizer()))
}

// SettingKey is equal for runs that may be averaged.
func SettingKey(r *Result) string {
	if !r.Finished {
		return fmt.Sprintf("%sunfinished %q\n", r.Config.WithoutSeeds(), r.Path)
	}
	return r.Config.WithoutSeeds()
}

// brief returns the setting of a run without its numbers.
func brief(r *runs.Run) *Result {
	return &Result{Run: r, Path: r.Path, Config: r.Normalized(), Finished: r.Status.State == runs.Finished}
}

// Averaged returns the runs that tables average: of one experiment, variant and setting, in order of seeds.
// Runs of a setting in which a seed occurs twice stand alone. Groups are in the order of their first runs.
func Averaged(list []*runs.Run) (out [][]*runs.Run) {
	for _, group := range grouped(list, func(r *Result) string { return r.Config.Name + " " + r.Variant() + "\n" + SettingKey(r) }) {
		_, twice := RepeatedSeed(group)
		for i, r := range group {
			if i == 0 || twice {
				out = append(out, nil)
			}
			out[len(out)-1] = append(out[len(out)-1], r.Run)
		}
	}
	return out
}

// grouped groups runs by a key of their settings, each group in order of seeds, the groups in order of their first runs.
func grouped(list []*runs.Run, key func(*Result) string) [][]*Result {
	groups := GroupBy(Map(list, brief), key)
	for _, g := range groups {
		bySeed(g)
	}
	return groups
}

// RepeatedSeed returns the first seed that occurs twice, if any, in runs of one setting in order of seeds.
func RepeatedSeed(group []*Result) (seed uint64, twice bool) {
	for i := 1; i < len(group); i++ {
		a, b := &group[i-1].Config, &group[i].Config
		if a.Seed() == b.Seed() && a.General().TestSeed == b.General().TestSeed {
			return a.Seed(), true
		}
	}
	return 0, false
}

// Middle returns the index of the run that stands for the seeds of its setting: the one whose score is nearest
// the median of the scores, the first of several. The score of a run without one is NaN.
func Middle(scores []float64) int {
	median := stats.Median(slices.DeleteFunc(slices.Clone(scores), math.IsNaN))
	at, nearest := 0, math.Inf(1)
	for i, s := range scores {
		if d := math.Abs(s - median); d < nearest {
			at, nearest = i, d
		}
	}
	return at
}

// CompareTrials orders two trials by the metric of the validation split by which their epochs are chosen,
// the better one first, and then by their validation loss. metric returns a metric of both.
func CompareTrials(by string, metric func(key string) (a, b float64)) int {
	loss, other := metric("valid_loss")
	score, than := metric(by)
	if by == "valid_loss" { // less is better
		score, than = than, score
	}
	return cmp.Or(cmp.Compare(than, score), cmp.Compare(loss, other))
}

// Typical returns the run that stands for runs of one setting in order of seeds, and the reason why it does, for a
// user; "" if it is the only one. Runs without test results are compared on the validation split.
func Typical(list []*runs.Run) (run *runs.Run, why string) {
	if len(list) == 1 {
		return list[0], ""
	}
	test, valid, by := make([]float64, len(list)), make([]float64, len(list)), list[0].Config.Task().Score
	for i, r := range list {
		m, _ := r.Chosen() // a run that cannot be read has no score
		test[i], valid[i] = m.Get(by.Key), m.Get("valid_acc")
	}
	scores, name := test, by.Name
	if !slices.ContainsFunc(test, func(s float64) bool { return !math.IsNaN(s) }) {
		scores, name = valid, "validation accuracy"
	}
	run = list[Middle(scores)]
	which := fmt.Sprintf("of %d seeds: seed %d", len(list), run.Config.Seed())
	if run.Config.Resplit() {
		which = fmt.Sprintf("of %d seeds and divisions: seed %d, %s=%d", len(list), run.Config.Seed(), runs.TestSeedKey, run.Config.General().TestSeed)
	}
	if len(list)%2 == 0 {
		return run, which + ", nearest the median by " + name
	}
	return run, which + ", the median by " + name
}

// BySetting groups runs that differ only in the seeds, each group in order of seeds, the groups in
// order of their first runs.
func BySetting(list []*runs.Run) (out [][]*runs.Run) {
	for _, group := range grouped(list, SettingKey) {
		out = append(out, Map(group, func(r *Result) *runs.Run { return r.Run }))
	}
	return out
}

// GroupBy groups items by a key. Groups are in the order of their first items, and items keep their
// order.
func GroupBy[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// Names names groups of runs: the experiment, its optimizer, its variant if it is not the default, the settings that the
// user gave but those usual in these groups or among the other runs, and the ID if two names would be equal.
func Names(groups [][]*runs.Run, others ...*runs.Run) []string {
	usual := Usual{}
	for _, r := range slices.Concat(append(slices.Clone(groups), others)...) {
		c := r.Normalized()
		usual.Add(&c)
	}
	count := map[string]int{}
	out := make([]string, len(groups))
	for i, g := range groups {
		c := g[0].Normalized()
		out[i] = SettingName(&c, usual)
		count[out[i]]++
	}
	for i, g := range groups {
		if count[out[i]] > 1 {
			out[i] += " " + format.Short(g[0].Config.ID)
		}
	}
	return out
}

// SettingName returns a readable name of the setting of a run, as Names does.
func SettingName(c *runs.Config, usual Usual) string {
	parts := []string{c.Name, c.Optimizer()}
	if c.Variant != "" && c.Variant != "default" {
		parts = append(parts, c.Variant)
	}
	return strings.Join(append(parts, GivenTo(c, usual)...), " ")
}

// GivenTo returns the settings of the user that tables show in no other column, except usual ones, and settings in which
// experiments of one name differ.
func GivenTo(c *runs.Config, usual Usual) (out []string) {
	given, k := c.Given(), usualOf(c)
	for _, s := range c.Settings {
		k.key = s.Key
		differs, has := len(usual[k]) > 1, slices.Equal(usual[k], []string{s.Value})
		if !slices.Contains(ColumnKeys, s.Key) && (differs || slices.Contains(given, s) && !has) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return out
}

// Usual has the values of settings in runs whose user did not give them, by experiment, optimizer, variant and reviews.
type Usual map[usualKey][]string

type usualKey struct {
	name, optimizer, variant string
	reviews                  Reviews
	key                      string
}

// usualOf returns the key of a run without its setting.
func usualOf(c *runs.Config) usualKey {
	return usualKey{c.Name, c.Optimizer(), cmp.Or(c.Variant, "default"), ReviewsOf(c), ""}
}

// Add adds the settings of a run.
func (u Usual) Add(c *runs.Config) {
	given, k := c.Given(), usualOf(c)
	for _, s := range c.Settings {
		if k.key = s.Key; !slices.Contains(given, s) {
			u[k] = Union(u[k], s.Value)
		}
	}
}

// ColumnKeys lists the settings that tables show in other columns.
var ColumnKeys = []string{"seed", "variant", "optimizer", "data", "data.limit", runs.TestSeedKey}

// Ratio returns the number of test reviews divided by the number of training reviews. Validation
// reviews count as training reviews.
func Ratio(c *runs.Config) float64 {
	return float64(c.Data.Test.Reviews) / float64(max(1, c.Data.Train.Reviews+c.Data.Valid.Reviews))
}

// Divided returns the interval of the mean score of runs of one setting over divisions of their data into train and
// test (data.test_seed), in percent, NaN if unknown, and a note on it; false with fewer than two divisions.
func Divided(list []*Result) (interval stats.Interval, note Note, ok bool) {
	scores := map[uint64][]float64{}
	for _, r := range list {
		d := r.Config.General().TestSeed
		scores[d] = append(scores[d], r.Score)
	}
	if len(scores) < 2 {
		return interval, note, false
	}
	divisions := slices.Sorted(maps.Keys(scores))
	means := Map(divisions, func(d uint64) float64 { return stats.Summarise(scores[d]).Mean })
	note = Note{Overlapping, fmt.Sprintf("± and interval are over %d divisions of the same reviews (data.test_seed=%s), not over independent test sets",
		len(divisions), strings.ReplaceAll(strings.Trim(fmt.Sprint(divisions), "[]"), " ", ","))} // as settings are written
	e, err := stats.Resampled(means, Ratio(&list[0].Config))
	if err != nil {
		note.Text += "; no interval: " + err.Error()
		return stats.Interval{Low: math.NaN(), High: math.NaN()}, note, true
	}
	note.Text += "; interval: " + stats.ResampledMethod
	return e.Interval.Within(stats.Interval{High: 100}), note, true
}

// Map returns what a function gives for each item.
func Map[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

// Filter returns the items that pass.
func Filter[T any](list []T, passes func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !passes(x) })
}

// Few joins words by commas. Of more than n words it counts the rest.
func Few(words []string, n int) string {
	text := strings.Join(words[:min(n, len(words))], ", ")
	if more := len(words) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Differing returns the settings in which runs differ, in order of declaration, but these.
func Differing(list []*Result, but ...string) (keys []string) {
	for _, s := range list[0].Config.Settings {
		differs := func(r *Result) bool { return r.Config.Setting(s.Key) != s.Value }
		if !slices.Contains(but, s.Key) && slices.ContainsFunc(list, differs) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Union appends the items that a list does not have yet.
func Union[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}
