// Package compare is exp compare: is a difference more than noise?
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/internal/fsx"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

type options struct {
	format, ladder, out string
	with                []string
}

var modes = []cli.Mode{
	{Takes: []string{"with"}},
	{Flags: []string{"ladder"}, Takes: []string{"out", "no-title"}},
}

// New returns exp compare.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… | RUN… --with FILE.tsv | --ladder NAME [key=value…]",
		Short: "Compare runs on the same reviews: is the difference more than noise?",
		Long: `Compare runs by their predictions on the test reviews that they have in common: the first
with each of the others. The 95 % interval and p are of one test: 0 lies outside exactly
when p < 0.05. With several others the verdict goes by p adjusted by Holm's method, which
stands beside it; intervals are not adjusted. Every setting in which two sides differ is
named. docs/guide/report.md names the tests.

A RUN is one run (a folder, an ID, @last), or all seeds of an experiment: a name alone
with its default settings, 'tme9-lstm[optimizer=sgd,variant=original]' with these.

--with FILE.tsv brings the predictions of another program: a header and the columns
review, predicted and, where known, label, separated by tabs.

--ladder NAME shows which slips of the published report matter: from variant=original
(variant=code: from its published code, of TME 10) to the default one at a time, and
each alone put back into the default. Of an experiment without an original (best,
multihead, …) it shows what its own settings are worth. It trains nothing; what has not
been run is listed as commands. key=value holds for all of its runs.`,
		Example: `  exp compare tme9-mean tme9-simple
  exp compare 'tme9-lstm[optimizer=sgd,variant=original]' 'tme9-lstm[optimizer=sgd,variant=default]'
  exp compare tme9-mean tme9-simple tme9-values tme9-lstm --format md
  exp compare @last --with theirs.tsv
  exp compare --ladder tme9-values optimizer=sgd --out figures
  exp compare --ladder best seed=1`,
		ValidArgsFunction: a.CompleteRuns,
		Args:              o.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.ladder != "" {
				return showLadder(a, o.ladder, args, o)
			}
			return compareRuns(a, args, o)
		},
	}
	cli.FormatFlag(cmd, &o.format, cli.Formats)
	cmd.Flags().StringArrayVar(&o.with, "with", nil, "predictions of another program, - reads them from standard input; may be given several times")
	cmd.Flags().StringVar(&o.ladder, "ladder", "", "experiment whose slips, or settings, are taken out and put back one by one")
	cmd.Flags().StringVar(&o.out, "out", "", "with --ladder: also draw it into this folder, as PNG and SVG")
	cmd.MarkFlagDirname("out")
	a.TitleFlag(cmd)
	cmd.RegisterFlagCompletionFunc("ladder", cobra.FixedCompletions(ladderNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// maxAnswers bounds a file of predictions; IMDB's has 1.5 MB.
const maxAnswers = 1 << 28

func (o *options) check(cmd *cobra.Command, args []string) error {
	if err := cli.CheckModes(cli.GivenFlags(cmd), modes); err != nil {
		return err
	}
	switch {
	case o.ladder == "" && len(args) == 0:
		return errors.New("compare what? Name two runs, such as tme9-mean tme9-simple, or --ladder tme9-values")
	case o.ladder == "" && len(args)+len(o.with) < 2:
		return fmt.Errorf("compare %s with what? Name another run or --with FILE.tsv", args[0])
	}
	return nil
}

func compareRuns(a *cli.App, refs []string, o options) error {
	var groups [][]*runs.Run
	for _, ref := range refs {
		g, err := a.RunsOf(ref)
		if err != nil {
			return err
		}
		groups = append(groups, g)
	}
	var sides []compare.Side
	all, _ := runs.List(a.Runs) // tables name settings among these
	for i, name := range report.Names(groups, all...) {
		s, err := compare.ReadSide(name, groups[i])
		if err != nil {
			return withoutPredictions(a, err)
		}
		sides = append(sides, s)
	}
	for _, path := range o.with {
		side, err := answersOf(a.IO, path)
		if err != nil {
			return err
		}
		sides = append(sides, side)
	}
	list, err := compare.Against(sides[0], sides[1:]...)
	if err != nil {
		return err
	}
	return cli.Print(a.IO, o.format, compare.Table(list))
}

// answersOf reads the predictions of another program from a file, or with - from
// standard input.
func answersOf(io *term.IO, path string) (compare.Side, error) {
	var b []byte
	var err error
	if path == "-" {
		path = "standard input"
		b, err = cli.StandardInput(io, maxAnswers)
	} else {
		b, err = fsx.ReadFile(path, maxAnswers)
	}
	if err != nil {
		return compare.Side{}, err
	}
	answers, err := compare.ParseAnswers(path, b)
	return compare.Side{Name: path, Answers: []*compare.Answers{answers}}, err
}

// withoutPredictions adds to such an error what to type.
func withoutPredictions(a *cli.App, err error) error {
	e, ok := errors.AsType[*compare.NoPredictionsError](err)
	if !ok {
		return err
	}
	if errors.Is(err, runs.ErrUntested) {
		return fmt.Errorf("%w; exp run with the same settings and test=last evaluates it", err)
	}
	if s := e.Run.Status.State; s == runs.Created || s == runs.Unfinished {
		return fmt.Errorf("%w; train it to its end: %s", err, a.Command("run", filepath.Join(e.Run.Path, "config.yaml")))
	}
	return err // of a finished one App.Hint tells
}

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

// rung is one setting of a ladder: how to ask for it and which runs there are.
type rung struct {
	words   []string // key=value in addition to the ladder's
	want    []string // key=value that its runs have
	side    compare.Side
	missing []uint64 // seeds
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

// planOf resolves the settings of one run of the ladder.
func (c *climb) planOf(words []string) (*plan.Plan, error) {
	p, err := plan.New(plan.Base{Experiment: c.experiment}, c.auto, append(c.words[:len(c.words):len(c.words)], words...))
	if err == nil && c.adapter.Dir != "" {
		_, err = c.adapter.Adapt(context.Background(), []*plan.Plan{p})
	}
	return p, err
}

// joined are settings of an original that only make sense together with a slip: a
// weight of the sum over 64 reviews is another of their mean.
var joined = map[string]string{"lambda": "slip.sum_entropy"}

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
