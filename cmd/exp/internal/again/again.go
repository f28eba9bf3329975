// Package again answers what of a run this program knows today: its model, its
// settings, and the words that make it once more.
package again

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/report/page"
	"imdbexp/runs"
)

// Command returns the shortest line that trains these runs again; they
// differ by nothing but the seed. It returns "" where this program does not know
// their experiment, or has no words that give all their settings. The folders in use
// are left out: the page goes to others.
func Command(list []*runs.Config) string {
	_, words := repeated(list[0])
	if words == nil {
		return ""
	}
	var seeds []uint64
	for _, c := range list {
		seeds = append(seeds, c.Seed())
	}
	if !slices.Equal(seeds, []uint64{1}) { // the default
		words = append(words, "seed="+Seeds(seeds))
	}
	return cli.CommandLine(append([]string{"run"}, words...)...)
}

// repeated returns the plan that is the run again and the words that make it,
// without its seed; nil where there are none. The data is always among them:
// without, the words would mean what is installed.
func repeated(c *runs.Config) (*plan.Plan, []string) {
	e, err := experiments.Lookup(c.Name)
	if err != nil {
		return nil, nil
	}
	base := plan.Base{Experiment: e}
	bare, err := plan.New(base, "sample", nil)
	if err != nil {
		return nil, nil
	}
	var all []string
	place := map[string]int{} // of a key, as they are declared
	for i, s := range c.Settings {
		place[s.Key] = i
		if _, known := bare.Set.Get(s.Key); known {
			all = append(all, s.Key+"="+s.Value)
		}
	}
	p, err := plan.New(base, "sample", all)
	if err != nil || !repeats(p, c) {
		return nil, nil
	}
	words, err := Words(p) // few of them
	if err != nil {
		return nil, nil
	}
	if p, err = plan.New(base, "sample", words[1:]); err != nil || !repeats(p, c) {
		return nil, nil
	}
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "seed=") })
	of := func(word string) int { key, _, _ := strings.Cut(word, "="); return place[key] }
	slices.SortStableFunc(words[1:], func(a, b string) int { return cmp.Compare(of(a), of(b)) })
	return p, words
}

// repeats reports whether a plan is a run again. Its ID tells, which has the
// content digests of data and vectors in place of their names.
func repeats(p *plan.Plan, c *runs.Config) bool {
	digest, _ := runs.Identify(c.Model, c.Result, p.Set, c.Digests)
	same := digest == c.Digest && p.Experiment.Model == c.Model
	for _, key := range []string{"variant", "data", "vectors"} {
		s, _ := p.Set.Get(key)
		same = same && s.Value == c.Setting(key)
	}
	return same
}

// Explained says what is known about the settings of a run that are not at their
// defaults.
func Explained(c *runs.Config) []page.Setting {
	p, _ := repeated(c)
	var out []page.Setting
	for _, s := range Settings(c) {
		if !s.Changed() && s.From == "default" || s.Key == "data" {
			continue
		}
		r := page.Setting{Key: s.Key, Value: s.Value, Default: s.Default, From: s.From, Help: s.Help}
		if s.From == "default" {
			r.From = "the data" // such as the vectors that go with it
		}
		if p != nil {
			if why := p.Why(s.Key); why != "" {
				r.Help += "; here: " + why
			}
		}
		out = append(out, r)
	}
	return out
}

// Seeds writes seeds as the command line takes them: 1..3 or 2,5.
func Seeds(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		text := strconv.FormatUint(seeds[i], 10)
		if j > i {
			text += ".." + strconv.FormatUint(seeds[j], 10)
		}
		parts, i = append(parts, text), j+1
	}
	return strings.Join(parts, ",")
}
