// Package naming finds the runs that the name of an experiment means, and names runs by their
// experiment and the settings in which they differ from it.
package naming

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// Names has the default settings of experiments on the installed data. Its methods may be called from
// several goroutines.
type Names struct {
	auto    string       // the data set of data=auto
	adapter plan.Adapter // of plans on a user's own data
	mu      sync.Mutex
	plans   map[string]*planned // by words; nil if these are wrong
}

// planned is a plan. It does not change.
type planned struct {
	*plan.Plan
	settings []settings.Setting // all settings, cached
}

// New returns names; auto is the data set of data=auto, and dir the data folder.
func New(auto, dir string) *Names {
	return &Names{auto: auto, adapter: plan.Adapter{Dir: dir}, plans: map[string]*planned{}}
}

// Portable returns the words of exp run, without the seed, that mean a run on every machine, whatever
// is installed there: they name the data, and all settings that depend on the amount of data.
func Portable(c *runs.Config) []string {
	words := New("", "").Words(c)
	if p, err := plan.Of(c); err == nil {
		words = append(words, slices.DeleteFunc(p.Adapted(), func(a string) bool { return slices.Contains(words, a) })...)
	}
	return words
}

// plan returns the plan of exp run NAME key=value…, or nil.
func (n *Names) plan(name string, words []string) *planned {
	key := name + "\n" + strings.Join(words, "\n")
	n.mu.Lock()
	defer n.mu.Unlock()
	p, known := n.plans[key]
	if known {
		return p
	}
	if e, err := experiments.Lookup(name); err == nil {
		made, err := plan.New(plan.Base{Experiment: e}, n.auto, words)
		if err == nil {
			_, err = n.adapter.Adapt(context.Background(), []*plan.Plan{made})
		}
		if err == nil {
			p = &planned{made, made.Set.All()}
		}
	}
	n.plans[key] = p
	return p
}

// leading are the settings that imply others, which are then not named.
var leading = []string{"data", "optimizer", "variant"}

// Settings returns the settings in which a run differs from its experiment: those that exp run NAME
// needs to train it again. The seed comes last. Of an unknown experiment it returns those that are not defaults.
func (n *Names) Settings(c *runs.Config) (out []runs.Value) {
	var first []string
	p := n.plan(c.Name, nil)
	for _, key := range leading {
		own, there := c.Settings.Get(key)
		if p == nil {
			break
		}
		if s, _ := p.Set.Get(key); there && s.Value != own {
			out, first = append(out, runs.Value{Key: key, Value: own}), append(first, key+"="+own)
			p = n.plan(c.Name, first)
		}
	}
	if p == nil {
		return slices.DeleteFunc(slices.Clone(c.Settings), func(v runs.Value) bool { return c.From[v.Key] == "" })
	}
	out = append(out, differing(p, c)...)
	slices.SortStableFunc(out, func(a, b runs.Value) int { return map[string]int{"seed": 1}[a.Key] - map[string]int{"seed": 1}[b.Key] })
	return out
}

// Differing returns the settings in which a run differs from a plan. A setting that the run lacks had
// its default; one that the plan lacks counts if it was not a default.
func Differing(p *plan.Plan, c *runs.Config) []runs.Value {
	return differing(&planned{p, p.Set.All()}, c)
}

func differing(p *planned, c *runs.Config) (out []runs.Value) {
	own := make(map[string]string, len(c.Settings))
	for _, v := range c.Settings {
		own[v.Key] = v.Value
	}
	for i := range p.settings {
		s := &p.settings[i]
		v, there := own[s.Key]
		if !there {
			v = s.Default
		}
		if v != s.Value {
			out = append(out, runs.Value{Key: s.Key, Value: v})
		}
		delete(own, s.Key)
	}
	for _, v := range c.Settings {
		if _, left := own[v.Key]; left && c.From[v.Key] != "" {
			out = append(out, v)
		}
	}
	return out
}

// About describes the settings of a run in a few words.
func (n *Names) About(c *runs.Config) string {
	list := n.Settings(c)
	if len(list) == 0 {
		return "default settings"
	}
	return strings.Join(runs.Values(list).Assignments(), ", ")
}

// Words returns the arguments of exp run for a run: its experiment and the settings that Settings
// returns, without the seed.
func (n *Names) Words(c *runs.Config) []string {
	list := slices.DeleteFunc(n.Settings(c), func(v runs.Value) bool { return v.Key == "seed" })
	return append([]string{c.Name}, runs.Values(list).Assignments()...)
}

// Seeds writes seeds as the command line takes them: 1..3 or 2,5.
func Seeds(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); i++ {
		first := i
		for i+1 < len(seeds) && seeds[i+1] == seeds[i]+1 {
			i++
		}
		text := strconv.FormatUint(seeds[first], 10)
		if i > first {
			text += ".." + strconv.FormatUint(seeds[i], 10)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}
