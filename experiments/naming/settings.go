// Package naming finds the runs that the name of an experiment means, and names runs by their
// experiment and the settings in which they differ from it.
package naming

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// Names has the default settings of experiments on the installed data. Its methods may be called from
// several goroutines.
type Names struct {
	auto    string       // the data set of data=auto
	adapter plan.Adapter // of plans on a user's own data
	mu      sync.Mutex
	plans   map[string]*plan.Plan // by words; nil if these are wrong
}

// New returns names; auto is the data set of data=auto, and dir the data folder.
func New(auto, dir string) *Names {
	return &Names{auto: auto, adapter: plan.Adapter{Dir: dir}, plans: map[string]*plan.Plan{}}
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
func (n *Names) plan(name string, words []string) *plan.Plan {
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
			p = made
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
	out = append(out, Differing(p, c)...)
	slices.SortStableFunc(out, func(a, b runs.Value) int { return map[string]int{"seed": 1}[a.Key] - map[string]int{"seed": 1}[b.Key] })
	return out
}

// Differing returns the settings in which a run differs from a plan. A setting that the run lacks had
// its default; one that the plan lacks counts if it was not a default.
func Differing(p *plan.Plan, c *runs.Config) (out []runs.Value) {
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

// Runs returns the finished runs in dir that ref names. They differ only in the seed and are in the
// order of the seeds. An unfinished run is returned only if ref can mean no other run. The name of an
// experiment means the runs of exp run with any seed:
//
//	tme9-lstm                  its default settings on the installed data
//	tme9-lstm[optimizer=sgd]   the same with this optimiser and its settings
//
// If there is no such run, it means the runs that have the given settings, if these differ only in the
// seed. If there are only other runs of the experiment, the error is an OthersError. See runs.Match for
// other references.
func (n *Names) Runs(dir, ref string) ([]*runs.Run, error) {
	name, _, _ := strings.Cut(ref, "[")
	all, err := runs.Match(dir, name)
	if err != nil || all[0].Config.Name != name || runs.IsFolder(ref) {
		r, err := runs.Find(dir, ref)
		if err != nil {
			return nil, err
		}
		return []*runs.Run{r}, nil
	}
	given, err := runs.BracketSettings(ref)
	if err != nil {
		return nil, err
	}
	_, unknown := experiments.Lookup(name)
	if unknown == nil { // a run of an older program may lack a given setting
		words := slices.DeleteFunc(slices.Clone(given), anyDivision)
		free, on := []string{"seed"}, []string{} // keys that may have several values, and the conditions on them
		for _, c := range given {
			key, _, _ := strings.Cut(c, "=")
			bare := strings.TrimSuffix(key, "!")
			if anyDivision(c) || slices.Contains(runs.CitingKeys, key) {
				free = append(free, bare)
			}
			if slices.Contains(free, bare) {
				on = append(on, c)
			}
		}
		seeded, err := runs.With(all, on)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", ref, err)
		}
		if out := oneSetting(n.meant(name, words, seeded, free)); out != nil {
			return out, nil
		}
	}
	list, err := runs.With(all, given)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", ref, err)
	}
	if out := oneSetting(finished(list)); unknown != nil && out != nil {
		return out, nil
	}
	if out := oneSetting(list); len(given) > 0 && out != nil {
		if done := finished(out); len(done) > 0 {
			return done, nil
		}
		return out, nil
	}
	return nil, n.others(name, given, all)
}

// anyDivision reports whether a condition is data.test_seed!=…: any division of the data but one.
func anyDivision(condition string) bool { return strings.HasPrefix(condition, runs.TestSeedKey+"!=") }

// newest returns the newest run of the newest result version.
func newest(list []*runs.Run) *runs.Run {
	return slices.MaxFunc(list, func(a, b *runs.Run) int {
		return cmp.Or(-cmp.Compare(a.Config.Behind(), b.Config.Behind()), a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path))
	})
}

// meant returns the runs of exp run NAME key=value… with any value of the free settings. If they differ
// in more, by the content of the data or the result version, it returns those like the newest.
func (n *Names) meant(name string, given []string, list []*runs.Run, free []string) []*runs.Run {
	p := n.plan(name, given)
	if p == nil {
		return nil
	}
	other := func(v runs.Value) bool { return !slices.Contains(free, v.Key) }
	done := slices.DeleteFunc(finished(list), func(r *runs.Run) bool {
		c := r.Normalized()
		return slices.ContainsFunc(Differing(p, &r.Config), other) && slices.ContainsFunc(Differing(p, &c), other)
	})
	if len(done) == 0 {
		return nil
	}
	want := setting(newest(done))
	return slices.DeleteFunc(done, func(r *runs.Run) bool { return setting(r) != want })
}

func finished(list []*runs.Run) []*runs.Run {
	return slices.DeleteFunc(slices.Clone(list), func(r *runs.Run) bool { return r.Status.State != runs.Finished })
}

// oneSetting returns runs in the order of their seeds if they differ only in the seed; else nil.
func oneSetting(list []*runs.Run) []*runs.Run {
	if len(list) == 0 {
		return nil
	}
	first := setting(list[0])
	if slices.ContainsFunc(list[1:], func(r *runs.Run) bool { return setting(r) != first }) {
		return nil
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *runs.Run) int { return cmp.Compare(a.Config.Seed(), b.Config.Seed()) })
	return out
}

// setting is equal for runs that differ only in the seed.
func setting(r *runs.Run) string {
	c := r.Normalized()
	return c.WithoutSeeds()
}

// OthersError is the error of a name that means no run, while its experiment has other runs.
type OthersError struct {
	Name  string
	Given []string // key=value
	Data  string   // of the run that the name means; "" if the settings are wrong
	Other string   // a name of its newest finished run, or the ID; "" if none was tested
}

func (e *OthersError) Error() string {
	name := bracketed(e.Name, e.Given)
	if e.Data == "" {
		return name + " is not enough to train a run"
	}
	return fmt.Sprintf("%s means the run on %s with otherwise default settings, which has not finished", name, e.Data)
}

// bracketed is NAME[key=value,…].
func bracketed(name string, given []string) string {
	if len(given) == 0 {
		return name
	}
	return name + "[" + strings.Join(given, ",") + "]"
}

func (n *Names) others(name string, given []string, all []*runs.Run) error {
	e := &OthersError{Name: name, Given: given}
	if p := n.plan(name, given); p != nil {
		e.Data = p.Run.Data.Data
	}
	tested := slices.DeleteFunc(finished(all), func(r *runs.Run) bool { return r.Config.Untested() })
	if len(tested) > 0 {
		c := newest(tested).Normalized()
		e.Other = c.ShortID()
		if words := n.Words(&c)[1:]; len(words)+len(given) > 0 && n.plan(name, words) != nil {
			e.Other = bracketed(name, words)
		}
	}
	return e
}
