// Package compare is exp compare: is a difference more than noise?
package compare

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

type options struct {
	format, ladder, out string
}

var modes = []cli.Mode{{Flags: []string{"ladder"}, Takes: []string{"out", "no-title"}}}

// New returns exp compare.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… | --ladder NAME [key=value…]",
		Short: "Compare runs: is the difference more than noise?",
		Long: `Compare runs by their predictions on the test reviews that they have in common: the first
with each of the others. The 95 % interval and p are of one test: 0 lies outside exactly
when p < 0.05. With several others p is adjusted by Holm's method, intervals are not.
docs/guide/report.md names the tests.

A RUN is one run (a folder, an ID, @last), or all seeds of an experiment: a name alone
with its default settings, 'tme9-lstm[optimizer=sgd,variant=original]' with these.

--ladder NAME shows which slips of the published report matter: from variant=original
(variant=code: from its published code, of TME 10) to the default one at a time, and
each alone put back into the default. For an experiment without an original (best,
multihead, …) it shows what its own settings are worth. It trains nothing; what has not
been run is listed as commands. key=value is a setting of all its runs.`,
		Example: `  exp compare tme9-mean tme9-simple
  exp compare 'tme9-lstm[optimizer=sgd,variant=original]' 'tme9-lstm[optimizer=sgd,variant=default]'
  exp compare tme9-mean tme9-simple tme9-values tme9-lstm --format md
  exp compare --ladder tme9-values optimizer=sgd --out figures
  exp compare --ladder best seed=1`,
		Args: o.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.ladder != "" {
				return showLadder(a, o.ladder, args, o)
			}
			return compareRuns(a, args, o)
		},
	}
	cli.FormatFlag(cmd, &o.format, cli.Formats)
	cmd.Flags().StringVar(&o.ladder, "ladder", "", "experiment whose slips are removed and added one by one")
	cmd.Flags().StringVar(&o.out, "out", "", "with --ladder: also draw it into this folder, as PNG and SVG")
	a.TitleFlag(cmd)
	return cmd
}

func (o *options) check(cmd *cobra.Command, args []string) error {
	if err := cli.CheckModes(cli.GivenFlags(cmd), modes); err != nil {
		return err
	}
	switch {
	case o.ladder == "" && len(args) == 0:
		return errors.New("name two runs to compare, such as tme9-mean tme9-simple, or --ladder tme9-values")
	case o.ladder == "" && len(args) < 2:
		return fmt.Errorf("name another run to compare %s with", args[0])
	}
	return cli.Folder("out", o.out)
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
	list, err := compare.Against(sides[0], sides[1:]...)
	if err != nil {
		return err
	}
	return cli.Print(a.IO, o.format, compare.Table(list))
}

// withoutPredictions adds advice to a NoPredictionsError.
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
	return err // App.Hint adds advice for a finished run
}

// ladderNames returns the experiments with an original to begin from, or settings of their own to be
// added to their model one by one.
func ladderNames() []string {
	var out []string
	for _, e := range experiments.All() {
		if len(e.Variants()) > 0 || len(e.Settings) > 1 {
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
	if names := ladderNames(); !slices.Contains(names, name) {
		return cli.Usagef("%s has neither an original nor its own settings; use one of: %s", name, strings.Join(names, ", "))
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
		fmt.Fprintln(a.Err, "exp: nothing to draw yet")
		return nil
	}
	paths, err := a.Save(figures.Waterfall(l), o.out)
	for _, p := range paths {
		fmt.Fprintln(a.Err, "wrote", p)
	}
	return err
}
