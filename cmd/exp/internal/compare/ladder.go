package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

// climb holds the settings of all runs of a ladder.
type climb struct {
	adapter    plan.Adapter // sets what depends on the amount of data
	experiment *experiments.Experiment
	variant    string   // the start; "": the model without the experiment's settings
	start      []string // settings of the start, key=value
	auto       string
	words      []string // settings of all runs, key=value, without seeds
	seeds      []uint64
	asked      bool // the command line names the seeds
	slips      []compare.Slip
	defaults   *plan.Plan
	rungs      []*rung
	list       []*runs.Run      // candidates, the newest first
	read       *compare.Answers // the last ones, see compare.ReadAnswers
	warn       func(error)      // called for runs that cannot be read
}

// rung is one combination of settings on a ladder, with its runs.
type rung struct {
	words   []string // key=value in addition to the ladder's
	want    []string // key=value that its runs have
	side    compare.Side
	missing []uint64 // seeds without a run
}

// newClimb resolves the words of a ladder for the data in the folder dir; "": for any data.
func newClimb(e *experiments.Experiment, auto, dir string, words []string) (*climb, error) {
	c := &climb{adapter: plan.Adapter{Dir: dir}, experiment: e, auto: auto}
	if len(e.Variants()) > 0 {
		c.variant = "original"
	}
	for _, w := range words {
		key, value, err := settings.Cut(w)
		switch {
		case !strings.Contains(w, "="):
			return nil, fmt.Errorf("--ladder %s %s: want key=value, a setting of all its runs", e.Name, w)
		case err != nil:
			return nil, err
		case key == "variant" && c.variant == "":
			return nil, fmt.Errorf("%s: %s has no original; its ladder begins at its model", w, e.Name)
		case key == "variant":
			if !slices.Contains(e.Variants(), value) {
				return nil, fmt.Errorf("%s: a ladder of %s begins with variant=%s", w, e.Name, strings.Join(e.Variants(), " or "))
			}
			c.variant = value
		case key == "seed":
			if c.seeds, err = seedList(w); err != nil {
				return nil, err
			}
			c.asked = true
		default:
			c.words = append(c.words, w)
		}
	}
	for s := uint64(1); s <= compare.LadderSeeds && !c.asked; s++ {
		c.seeds = append(c.seeds, s)
	}
	var err error
	if c.defaults, err = c.planOf(nil); err == nil {
		err = c.findSlips()
	}
	if err == nil && len(c.active()) == 0 {
		err = fmt.Errorf("no step of the ladder of %s changes a prediction here", e.Name)
	}
	return c, err
}

// seedList expands seed=1..3 or seed=1,4.
func seedList(word string) ([]uint64, error) {
	grid, err := settings.Grid([]string{word})
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, g := range grid {
		n, err := strconv.ParseUint(strings.TrimPrefix(g[0], "seed="), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: want whole numbers", word)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// planOf resolves the settings of one run of the ladder.
func (c *climb) planOf(words []string) (*plan.Plan, error) {
	p, err := plan.New(plan.Base{Experiment: c.experiment}, c.auto, slices.Concat(c.words, words))
	if err == nil && c.adapter.Dir != "" {
		_, err = c.adapter.Adapt(context.Background(), []*plan.Plan{p})
	}
	return p, err
}

// joined maps settings of an original to the slip that they need: a weight for the
// sum over 64 reviews does not suit their mean.
var joined = map[string]string{"lambda": "slip.sum_entropy"}

// findSlips lists the steps of the ladder: the variant's differences from the default, except the
// seed, or the experiment's settings, reset to the model's. All runs share the settings of the
// command line, and those that the data changed.
func (c *climb) findSlips() error {
	fixed := func(key string) bool {
		return slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(w, key+"=") })
	}
	if c.variant == "" {
		for _, d := range c.experiment.Settings {
			key, value, _ := strings.Cut(d.Assign, "=")
			s, is := c.defaults.Set.Get(key)
			if is && s.Value == value && s.Changed() && !fixed(key) && c.inert(key) == "" {
				c.start = append(c.start, key+"="+s.Default)
				c.slips = append(c.slips, compare.Slip{Settings: []string{key + "=" + s.Default}, Shown: d.Assign})
			}
		}
		return nil
	}
	c.start = []string{"variant=" + c.variant}
	diffs, err := c.experiment.Variant(c.variant, c.defaults.Run.Optimizer.Optimizer)
	held := map[string][]string{} // slip → settings that wait for it
	for _, d := range diffs {
		key, _, _ := strings.Cut(d.Assign, "=")
		switch slip := joined[key]; {
		case key == "seed" || fixed(key):
		case slip != "":
			held[slip] = append(held[slip], d.Assign)
		default:
			c.slips = append(c.slips, compare.Slip{Settings: append(held[key], d.Assign), Inert: c.inert(key)})
		}
	}
	return err
}

// inert returns why a setting can change no prediction, "" if it can.
func (c *climb) inert(key string) string {
	chosen := c.defaults.Run.Select != "last" || c.defaults.Run.Patience != 0
	switch {
	case (key == "test.every" || key == "test.tail") && !chosen, key == "test" && c.variant == "":
		return "it is about when to evaluate on test"
	case key == "slip.rank_words":
		return "it is about which words are shown"
	case key == "slip.choose_on_test" && !chosen:
		return "no epoch is chosen with select=last"
	}
	return ""
}

// active returns the slips that change a prediction.
func (c *climb) active() []compare.Slip {
	return slices.DeleteFunc(slices.Clone(c.slips), func(s compare.Slip) bool { return s.Inert != "" })
}

// plan finds the runs of every rung and the commands that train missing ones.
// command formats a command.
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
	// The rungs with the shortest commands come first: state returns them again for
	// the same settings on the way down.
	first, err := c.state("default")
	if err != nil {
		return p, err
	}
	start, err := c.state(cmp.Or(c.variant, p.From), c.start...)
	if err == nil {
		err = c.alone(&p, first)
	}
	if err == nil {
		err = c.down(&p, start)
	}
	for _, r := range c.rungs {
		if len(r.missing) > 0 {
			p.Train = append(p.Train, command(slices.Concat([]string{"run", c.experiment.Name}, c.words, r.words, []string{"seed=" + naming.Seeds(r.missing)})...))
		}
	}
	return p, err
}

// collect keeps the experiment's finished runs of the current result version, the newest first, on the
// ladder's data with the digest of the newest run: data added again under the same name may have another
// digest.
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
		p.Remarks = append(p.Remarks, fmt.Sprintf("%d runs of %s are of an older result version and omitted.", older, c.experiment.Name))
	}
}

// alone adds the default with each slip alone. A slip that is invalid alone is added
// together with the one that it needs, and compared with that.
func (c *climb) alone(p *compare.LadderPlan, base compare.Side) error {
	for _, s := range c.active() {
		from, words := base, s.Settings
		if _, err := c.planOf(words); err != nil {
			needs := slices.IndexFunc(c.slips, func(other compare.Slip) bool {
				_, err := c.planOf(slices.Concat(other.Settings, s.Settings))
				return err == nil
			})
			if needs < 0 {
				return err
			}
			other := c.slips[needs]
			s.With, words = other.Name(), slices.Concat(other.Settings, words)
			if from, err = c.state("default with "+s.With, other.Settings...); err != nil {
				return err
			}
		}
		side, err := c.state("default with "+s.Name(), words...)
		if err != nil {
			return err
		}
		p.Single, p.Bases = append(p.Single, compare.State{Out: []compare.Slip{s}, Side: side}), append(p.Bases, from)
	}
	return nil
}

// down adds the states from the variant to the default, one slip less each, in
// the order of the list; a slip that others still need waits until these are removed.
func (c *climb) down(p *compare.LadderPlan, start compare.Side) error {
	p.States = []compare.State{{Side: start}}
	words := c.start
	for waiting := c.active(); len(waiting) > 0; {
		next := slices.IndexFunc(waiting, func(s compare.Slip) bool {
			_, err := c.planOf(c.without(s, words))
			return err == nil
		})
		if next < 0 {
			return fmt.Errorf("%s: none of its slips can be removed alone", c.experiment.Name)
		}
		s := waiting[next]
		waiting, words = slices.Delete(waiting, next, next+1), c.without(s, words)
		side, err := c.state("without "+s.Name(), words...)
		if err != nil {
			return err
		}
		p.States = append(p.States, compare.State{Out: []compare.Slip{s}, Side: side})
	}
	return nil
}

// without returns the words with one slip less: without a variant it removes the slip's
// words, else it appends its settings' defaults.
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

// state returns the runs with the settings words; the side is empty without any.
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
	for _, x := range c.list { // the newest of a seed, as names select it
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
		c.read, found[seed] = answers, true
		r.side.Answers = append(r.side.Answers, answers)
	}
	r.missing = slices.DeleteFunc(slices.Clone(c.seeds), func(s uint64) bool { return found[s] })
	c.rungs = append(c.rungs, r)
	return r.side, nil
}

// settingsOf returns the settings that can change predictions, as key=value: all but the seed, the label
// of the variant, and inert slips.
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
