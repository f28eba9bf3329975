package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// hasLadder reports whether an experiment has an original to begin from, or settings of
// its own to be added to its model one by one.
func hasLadder(e *experiments.Experiment) bool { return len(e.Variants()) > 0 || len(e.Settings) > 1 }

func ladderNames() []string {
	var out []string
	for _, e := range experiments.All() {
		if hasLadder(e) {
			out = append(out, e.Name)
		}
	}
	return out
}

// showLadder shows which slips, or settings, of an experiment matter, from the runs there are. It
// trains nothing.
func showLadder(a *cli.App, name string, words []string, o options) error {
	e, err := experiments.Lookup(name)
	if err != nil {
		return cli.Usage(err)
	}
	if !hasLadder(e) {
		return cli.Usage(fmt.Errorf("%s has neither an original nor its own settings; use one of: %s", name, strings.Join(ladderNames(), ", ")))
	}
	for _, w := range words {
		if !strings.Contains(w, "=") {
			return cli.Usage(fmt.Errorf("--ladder %s %s: want key=value, which holds for all of its runs", name, w))
		}
	}
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	c, err := newClimb(e, auto.Data, dir, words)
	if err != nil {
		return cli.Usage(err)
	}
	c.warn = a.Warn
	list, err := a.ListRuns()
	if err != nil {
		return err
	}
	plan, err := c.plan(list, a.Command)
	if err != nil {
		return err
	}
	l, err := compare.NewLadder(plan)
	if err != nil {
		return err
	}
	if err := cli.Print(a.IO, o.format, l); err != nil || o.out == "" {
		return err
	}
	if l.Empty() {
		fmt.Fprintln(a.IO.Err, "exp: nothing to draw yet")
		return nil
	}
	paths, err := a.Save(figures.Waterfall(l), o.out)
	for _, p := range paths {
		fmt.Fprintln(a.IO.Err, "wrote", p)
	}
	return err
}

// climb holds the settings of all runs of a ladder.
type climb struct {
	adapter    plan.Adapter // of what hangs on the amount of data
	experiment *experiments.Experiment
	variant    string   // where it begins; "" at the model without the experiment's settings
	start      []string // key=value that make it begin there
	auto       string
	words      []string // what holds for all runs, without seeds
	seeds      []uint64
	asked      bool // for these seeds and no others
	slips      []compare.Slip
	defaults   *plan.Plan
	rungs      []*rung
	list       []*runs.Run      // that it may have, the newest first
	read       *compare.Answers // the last that were read
	warn       func(error)      // hears of runs that cannot be read
}

// newClimb resolves a ladder's words on the data of the folder dir; "" looks at none.
func newClimb(e *experiments.Experiment, auto, dir string, words []string) (*climb, error) {
	c := &climb{adapter: plan.Adapter{Dir: dir}, experiment: e, auto: auto, warn: func(error) {}}
	if len(e.Variants()) > 0 {
		c.variant = "original"
	}
	for _, w := range words {
		key, value, err := settings.Cut(w)
		switch {
		case err != nil:
			return nil, err
		case key == "variant" && c.variant == "":
			return nil, fmt.Errorf("%s: %s has no original, its ladder begins at its model", w, e.Name)
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
	if c.seeds == nil {
		for s := range compare.LadderSeeds {
			c.seeds = append(c.seeds, uint64(s+1))
		}
	}
	var err error
	if c.defaults, err = c.planOf(nil); err != nil {
		return nil, err
	}
	if c.variant == "" {
		c.findSettings()
	} else if err = c.findSlips(); err != nil {
		return nil, err
	}
	switch active := len(c.active()); {
	case active == 0 && c.variant == "":
		return nil, fmt.Errorf("%s sets nothing here that changes a prediction", e.Name)
	case active == 0:
		return nil, fmt.Errorf("variant=%s of %s differs in nothing that changes a prediction", c.variant, e.Name)
	}
	return c, nil
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
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// joined are settings of an original that only make sense together with a slip: a
// weight of the sum over 64 reviews is another of their mean.
var joined = map[string]string{"lambda": "slip.sum_entropy"}
