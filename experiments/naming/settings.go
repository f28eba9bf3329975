// Package naming answers which runs the name of an experiment means, and what to call a
// run: an experiment with what its settings change about it.
package naming

import (
	"strings"
	"sync"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// Names knows what experiments are by themselves on the data at hand. Its methods may
// be called at the same time.
type Names struct {
	auto  string // what data=auto means
	mu    sync.Mutex
	plans map[string]*plan.Plan // by words, nil where these make none
}

// New returns the names where data=auto means auto.
func New(auto string) *Names { return &Names{auto: auto, plans: map[string]*plan.Plan{}} }

// plan returns the run that exp run NAME key=value… makes, nil where there is none. It
// stays as it is.
func (n *Names) plan(name string, words []string) *plan.Plan {
	key := name + "\n" + strings.Join(words, "\n")
	n.mu.Lock()
	defer n.mu.Unlock()
	p, known := n.plans[key]
	if known {
		return p
	}
	if e, err := experiments.Lookup(name); err == nil {
		if p, err = plan.New(plan.Base{Experiment: e}, n.auto, words); err != nil {
			p = nil
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
		if s, _ := p.Set.Get(key); there && s.Value != own {
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
func differing(p *plan.Plan, c *runs.Config) []runs.Value {
	var out []runs.Value
	own := make(map[string]string, len(c.Settings))
	for _, v := range c.Settings {
		own[v.Key] = v.Value
	}
	for _, s := range p.Set.All() {
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
