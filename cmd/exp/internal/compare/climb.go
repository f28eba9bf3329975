package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

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
	if n := c.older(list); n > 0 {
		p.Remarks = append(p.Remarks, fmt.Sprintf("%d runs of %s are of an older result version and left out.", n, c.experiment.Name))
	}
	c.data = c.content(list)
	// The settings asked for with the fewest words come first: one that is met again
	// on the way down is the same.
	first, err := c.state("default", list)
	if err != nil {
		return p, err
	}
	start, err := c.state(cmp.Or(c.variant, p.From), list, c.start...)
	if err != nil {
		return p, err
	}
	if err := c.alone(&p, list, first); err != nil {
		return p, err
	}
	if err := c.down(&p, list, start); err != nil {
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

// older counts the experiment's runs that are not of the present result version.
func (c *climb) older(list []*runs.Run) int {
	n := 0
	for _, r := range list {
		if r.Config.Name == c.experiment.Name && r.Config.Behind() != 0 {
			n++
		}
	}
	return n
}

// alone adds the default with each slip put back. One that the model refuses alone
// is put back together with the one that it needs, and compared with that.
func (c *climb) alone(p *compare.LadderPlan, list []*runs.Run, base compare.Side) error {
	for i := range c.slips {
		s := c.slips[i]
		if s.Inert != "" {
			continue
		}
		from, words := base, s.Settings
		if _, err := c.planOf(words); err != nil {
			other, ok := c.needs(s)
			if !ok {
				return err
			}
			if from, err = c.state("default with "+other.Name(), list, other.Settings...); err != nil {
				return err
			}
			s.With, words = other.Name(), append(slices.Clone(other.Settings), words...)
		}
		side, err := c.state("default with "+s.Name(), list, words...)
		if err != nil {
			return err
		}
		p.Single = append(p.Single, compare.State{Out: []compare.Slip{s}, Side: side})
		p.Bases = append(p.Bases, from)
	}
	return nil
}

// needs finds the slip without which another is refused.
func (c *climb) needs(s compare.Slip) (compare.Slip, bool) {
	for _, other := range c.slips {
		if _, err := c.planOf(append(slices.Clone(other.Settings), s.Settings...)); err == nil {
			return other, true
		}
	}
	return compare.Slip{}, false
}

// down adds the states from the variant to the default, one slip less each, in
// the order of the list; a slip that others still need waits until they are out.
func (c *climb) down(p *compare.LadderPlan, list []*runs.Run, start compare.Side) error {
	p.States = []compare.State{{Side: start}}
	words := c.start
	var waiting []compare.Slip
	for _, s := range c.slips {
		if s.Inert == "" {
			waiting = append(waiting, s)
		}
	}
	for len(waiting) > 0 {
		next := -1
		for i, s := range waiting {
			if _, err := c.planOf(c.without(s, words)); err == nil {
				next = i
				break
			}
		}
		if next < 0 {
			return fmt.Errorf("%s: none of its slips can be taken out by itself", c.experiment.Name)
		}
		s := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		words = c.without(s, words)
		side, err := c.state("without "+s.Name(), list, words...)
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

// content returns the digest of the reviews that the newest finished run of the experiment has
// seen of those asked for: data added again under the same name has another digest.
func (c *climb) content(list []*runs.Run) string {
	data, _ := c.defaults.Set.Get("data")
	for _, r := range slices.Backward(list) {
		if r.Config.Name == c.experiment.Name && r.Status.State == runs.Finished && r.Config.Setting("data") == data.Value {
			return r.Config.Digests["data"]
		}
	}
	return ""
}

// state reads the runs of one setting; a side without any is empty.
func (c *climb) state(name string, list []*runs.Run, words ...string) (compare.Side, error) {
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
	for _, x := range slices.Backward(list) { // the newest of a seed, as names mean it
		seed := x.Config.Seed()
		if found[seed] || c.asked && !slices.Contains(c.seeds, seed) || !c.matches(x, p) {
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

// matches reports whether a finished run has the settings of a plan.
func (c *climb) matches(r *runs.Run, p *plan.Plan) bool {
	same := r.Config.Name == c.experiment.Name && r.Status.State == runs.Finished && r.Config.Behind() == 0 && r.Config.Digests["data"] == c.data
	return same && !slices.ContainsFunc(naming.Differing(p, &r.Config), func(v runs.Value) bool { return c.decides(v.Key) })
}
