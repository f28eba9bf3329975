package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

// rung is one setting of a ladder: how to ask for it and which runs there are.
type rung struct {
	words   []string // key=value in addition to the ladder's
	want    []string // key=value that its runs have
	side    compare.Side
	missing []uint64 // seeds
}

// planOf resolves the settings of one run of the ladder.
func (c *climb) planOf(words []string) (*plan.Plan, error) {
	p, err := plan.New(plan.Base{Experiment: c.experiment}, c.auto, append(c.words[:len(c.words):len(c.words)], words...))
	if err == nil && c.adapter.Dir != "" {
		_, err = c.adapter.Adapt(context.Background(), []*plan.Plan{p})
	}
	return p, err
}

// findSettings lists the experiment's departures from its model in their order, but those
// that the words of the command line, or the data, set otherwise.
func (c *climb) findSettings() {
	for _, d := range c.experiment.Settings {
		key, value, _ := strings.Cut(d.Assign, "=")
		s, is := c.defaults.Set.Get(key)
		if !is || s.Value != value || !s.Changed() || c.fixed(key) || c.inert(key) != "" {
			continue
		}
		c.slips = append(c.slips, compare.Slip{Settings: []string{key + "=" + s.Default}, Shown: d.Assign})
		c.start = append(c.start, key+"="+s.Default)
	}
}

// fixed reports whether the command line sets a key for all runs.
func (c *climb) fixed(key string) bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(w, key+"=") })
}

// findSlips lists the variant's departures in its order, but the seed: a ladder
// has several. What the words of the command line set is the same for all runs.
func (c *climb) findSlips() error {
	c.start = []string{"variant=" + c.variant}
	diffs, err := c.experiment.Variant(c.variant, c.defaults.Run.Optimizer.Optimizer)
	if err != nil {
		return err
	}
	held := map[string][]string{} // slip → settings that wait for it
	for _, d := range diffs {
		key, _, _ := strings.Cut(d.Assign, "=")
		switch slip := joined[key]; {
		case key == "seed" || c.fixed(key):
		case slip != "":
			held[slip] = append(held[slip], d.Assign)
		default:
			c.slips = append(c.slips, compare.Slip{Settings: append(held[key], d.Assign), Inert: c.inert(key)})
		}
	}
	return nil
}

// inert says why a setting can change no prediction, "" when it can.
func (c *climb) inert(key string) string {
	chosen := c.defaults.Run.Select != "last" || c.defaults.Run.Patience != 0
	switch {
	case (key == "test.every" || key == "test.tail") && !chosen:
		return "it says when test is looked at"
	case key == "test" && c.variant == "":
		return "it says when test is looked at"
	case key == "slip.rank_words":
		return "it is about which words are shown"
	case key == "slip.choose_on_test" && !chosen:
		return "no epoch is chosen with select=last"
	}
	return ""
}

// plan finds the runs of every setting of the ladder and says how to train those
// that are missing. command makes what to type.
func (c *climb) plan(list []*runs.Run, command func(...string) string) (compare.LadderPlan, error) {
	title := c.experiment.Name + " " + c.defaults.Run.Optimizer.Optimizer
	for _, w := range c.words {
		if !strings.HasPrefix(w, "optimizer=") && !strings.HasPrefix(w, "data=") {
			title += " " + w
		}
	}
	p := compare.LadderPlan{Title: title, From: c.variant, Slips: c.slips}
	switch c.variant {
	case "":
		p.Built, p.From = true, c.experiment.Model+" alone"
	case "code":
		p.Title, p.From = p.Title+" variant=code", "published code"
	}
	c.collect(list, &p)
	// The settings asked for with the fewest words come first: one that is met again
	// on the way down is the same.
	first, err := c.state("default")
	if err != nil {
		return p, err
	}
	start, err := c.state(cmp.Or(c.variant, p.From), c.start...)
	if err != nil {
		return p, err
	}
	if err := c.alone(&p, first); err != nil {
		return p, err
	}
	if err := c.down(&p, start); err != nil {
		return p, err
	}
	for _, r := range c.rungs {
		if len(r.missing) > 0 {
			words := append([]string{"run", c.experiment.Name}, c.words...)
			p.Train = append(p.Train, command(append(append(words, r.words...), "seed="+naming.Seeds(r.missing))...))
		}
	}
	return p, nil
}

// collect keeps the experiment's finished runs of the present result version, the newest first, that
// have seen the same reviews as the newest one on the data asked for: data added again under the same
// name have another digest.
func (c *climb) collect(list []*runs.Run, p *compare.LadderPlan) {
	data, _ := c.defaults.Set.Get("data")
	older, digest := 0, ""
	for _, r := range slices.Backward(list) {
		switch {
		case r.Config.Name != c.experiment.Name:
		case r.Config.Behind() != 0:
			older++
		case r.Status.State == runs.Finished && r.Config.Setting("data") == data.Value:
			if digest = cmp.Or(digest, r.Config.Digests["data"]); digest == r.Config.Digests["data"] {
				c.list = append(c.list, r)
			}
		}
	}
	if older > 0 {
		p.Remarks = append(p.Remarks, fmt.Sprintf("%d runs of %s are of an older result version and left out.", older, c.experiment.Name))
	}
}

// alone adds the default with each slip put back. One that the model refuses alone
// is put back together with the one that it needs, and compared with that.
func (c *climb) alone(p *compare.LadderPlan, base compare.Side) error {
	for _, s := range c.active() {
		from, words := base, s.Settings
		if _, err := c.planOf(words); err != nil {
			// The slip without which this one is refused.
			needs := slices.IndexFunc(c.slips, func(other compare.Slip) bool {
				_, err := c.planOf(append(slices.Clone(other.Settings), s.Settings...))
				return err == nil
			})
			if needs < 0 {
				return err
			}
			other := c.slips[needs]
			if from, err = c.state("default with "+other.Name(), other.Settings...); err != nil {
				return err
			}
			s.With, words = other.Name(), append(slices.Clone(other.Settings), words...)
		}
		side, err := c.state("default with "+s.Name(), words...)
		if err != nil {
			return err
		}
		p.Single = append(p.Single, compare.State{Out: []compare.Slip{s}, Side: side})
		p.Bases = append(p.Bases, from)
	}
	return nil
}

// active returns the slips that change a prediction.
func (c *climb) active() []compare.Slip {
	return slices.DeleteFunc(slices.Clone(c.slips), func(s compare.Slip) bool { return s.Inert != "" })
}

// down adds the states from the variant to the default, one slip less each, in
// the order of the list; a slip that others still need waits until they are out.
func (c *climb) down(p *compare.LadderPlan, start compare.Side) error {
	p.States = []compare.State{{Side: start}}
	words := c.start
	for waiting := c.active(); len(waiting) > 0; {
		next := slices.IndexFunc(waiting, func(s compare.Slip) bool {
			_, err := c.planOf(c.without(s, words))
			return err == nil
		})
		if next < 0 {
			return fmt.Errorf("%s: none of its slips can be taken out by itself", c.experiment.Name)
		}
		s := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		words = c.without(s, words)
		side, err := c.state("without "+s.Name(), words...)
		if err != nil {
			return err
		}
		p.States = append(p.States, compare.State{Out: []compare.Slip{s}, Side: side})
	}
	return nil
}

// without returns the words with one slip less, replaced by the default settings. If the
// words are only slips, it removes them.
func (c *climb) without(s compare.Slip, words []string) []string {
	if c.variant == "" {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(s.Settings, w) })
	}
	out := slices.Clone(words)
	for _, a := range s.Settings {
		key, _, _ := strings.Cut(a, "=")
		v, _ := c.defaults.Set.Get(key)
		out = append(out, key+"="+v.Value)
	}
	return out
}

// state reads the runs of one setting; a side without any is empty.
func (c *climb) state(name string, words ...string) (compare.Side, error) {
	p, err := c.planOf(words)
	if err != nil {
		return compare.Side{}, err
	}
	want := c.settingsOf(p)
	for _, r := range c.rungs {
		if slices.Equal(r.want, want) {
			return r.side, nil
		}
	}
	r := &rung{words: words, want: want, side: compare.Side{Name: name}}
	found := map[uint64]bool{}
	for _, x := range c.list { // the newest of a seed, as names mean it
		seed := x.Config.Seed()
		differs := slices.ContainsFunc(naming.Differing(p, &x.Config), func(v runs.Value) bool { return c.decides(v.Key) })
		if found[seed] || c.asked && !slices.Contains(c.seeds, seed) || differs {
			continue
		}
		answers, err := compare.ReadAnswers(x, c.read)
		if err != nil {
			c.warn(err) // as if it had not been run
			continue
		}
		c.read = answers
		found[seed] = true
		r.side.Answers = append(r.side.Answers, answers)
	}
	for _, s := range c.seeds {
		if !found[s] {
			r.missing = append(r.missing, s)
		}
	}
	c.rungs = append(c.rungs, r)
	return r.side, nil
}

// settingsOf returns what decides the predictions, as key=value: all settings but the seed, the label of
// the variant, and slips that change no prediction.
func (c *climb) settingsOf(p *plan.Plan) []string {
	var out []string
	for _, s := range p.Set.All() {
		if c.decides(s.Key) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return out
}

func (c *climb) decides(key string) bool {
	return key != "seed" && key != "variant" && c.inert(key) == ""
}
