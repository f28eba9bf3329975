// Package naming answers which runs the name of an experiment means, and what to call a
// run: an experiment with what its settings change about it.
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

// Names knows what experiments are by themselves on the data at hand. Its methods may
// be called at the same time.
type Names struct {
	auto    string       // what data=auto means
	adapter plan.Adapter // of plans on own data
	mu      sync.Mutex
	plans   map[string]*planned // by words, nil where these make none
}

// planned is a run that could be asked for. It stays as it is.
type planned struct {
	*plan.Plan
	settings []settings.Setting // all of them; to put them together takes much longer than to compare them
}

// get returns the value of a setting.
func (p *planned) get(key string) string {
	for i := range p.settings {
		if p.settings[i].Key == key {
			return p.settings[i].Value
		}
	}
	return ""
}

// New returns the names where data=auto means auto, and own data lies in the folder dir.
func New(auto, dir string) *Names {
	return &Names{auto: auto, adapter: plan.Adapter{Dir: dir}, plans: map[string]*planned{}}
}

// Portable returns the words of exp run, without the seed, that mean a run on every machine, whatever
// is installed there: they name the data, and all settings that depend on the amount of data.
func Portable(c *runs.Config) []string {
	words := New("", "").Words(c)
	if p, err := plan.Of(c); err == nil {
		for _, a := range p.Adapted() {
			if !slices.Contains(words, a) {
				words = append(words, a)
			}
		}
	}
	return words
}

// plan returns the run that exp run NAME key=value… makes, nil where there is none.
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

// leading are the settings that bring others along. What they bring goes without saying.
var leading = []string{"data", "optimizer", "variant"}

// Settings returns the settings in which a run differs from its experiment as it stands:
// few, those that exp run NAME needs to make it again. The seed comes last.
func (n *Names) Settings(c *runs.Config) []runs.Value {
	var first []string
	var out []runs.Value
	p := n.plan(c.Name, nil)
	for _, key := range leading {
		own, there := c.Settings.Get(key)
		if p == nil {
			return unplanned(c)
		}
		if there && p.get(key) != own {
			out, first = append(out, runs.Value{Key: key, Value: own}), append(first, key+"="+own)
			p = n.plan(c.Name, first)
		}
	}
	if p == nil {
		return unplanned(c)
	}
	var seed []runs.Value
	for _, v := range differing(p, c) {
		if v.Key == "seed" {
			seed = append(seed, v)
			continue
		}
		out = append(out, v)
	}
	return append(out, seed...)
}

// unplanned is Settings of a run whose experiment this program does not know.
func unplanned(c *runs.Config) []runs.Value {
	var out []runs.Value
	for _, v := range c.Settings {
		if c.From[v.Key] != "" {
			out = append(out, v)
		}
	}
	return out
}

// differing returns the settings of a run that are not as planned. One that the run does
// not have, of an older program, had its default; one that the plan does not have counts
// when somebody has set it.
func differing(p *planned, c *runs.Config) []runs.Value {
	var out []runs.Value
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

// About says in a few words which settings a run has.
func (n *Names) About(c *runs.Config) string {
	list := n.Settings(c)
	if len(list) == 0 {
		return "default settings"
	}
	return strings.Join(runs.Values(list).Assignments(), ", ")
}

// Words returns a run as exp run takes it: its experiment and the settings that Settings
// returns, without the seed.
func (n *Names) Words(c *runs.Config) []string {
	return append([]string{c.Name}, n.assignments(c)...)
}

func (n *Names) assignments(c *runs.Config) []string {
	var out []string
	for _, v := range n.Settings(c) {
		if v.Key != "seed" {
			out = append(out, v.Key+"="+v.Value)
		}
	}
	return out
}

// ref names runs as commands take them.
func ref(name string, words []string) string {
	if len(words) == 0 {
		return name
	}
	return name + "[" + strings.Join(words, ",") + "]"
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
