package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/search"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

type searchFlags struct {
	kind    string
	trials  int
	halving int
}

const (
	random         = "random"
	defaultTrials  = 20
	maxTrials      = 10_000
	defaultHalving = 3
	shownTrials    = 10 // at the end of a search; exp report has them all
)

func (o *searchFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.kind, "search", "", "random: sample settings from lists and intervals (lr=log:1e-4..1e-1 dropout=0..0.5)")
	f.IntVar(&o.trials, "trials", defaultTrials, "with --search: number of samples")
	f.IntVar(&o.halving, "halving", 0, "with --search: train briefly, then the best 1/`N` of the trials N times as long, and so on")
	f.Lookup("halving").NoOptDefVal = fmt.Sprint(defaultHalving)
}

func (o *searchFlags) check() error {
	switch {
	case o.kind != "" && o.kind != random:
		return fmt.Errorf("--search %s: want random", o.kind)
	case o.kind != "" && (o.trials < 1 || o.trials > maxTrials):
		return fmt.Errorf("--trials %d: want 1 to %d", o.trials, maxTrials)
	}
	return nil
}

// searching is a running search for the settings that are best on the validation split.
type searching struct {
	*cli.App
	*search.Search
	jobs      parallel.Jobs
	runner    *training.Runner
	standings map[int]search.Standing // by the number of the trial
}

// runSearch samples settings, trains them and ranks them on the validation split. The same command
// continues a search: it has the same trials, and finished ones are skipped.
func runSearch(ctx context.Context, a *cli.App, r *training.Runner, auto plan.Auto, words []string, o options) error {
	wanted, err := search.New(words, auto.Data)
	if err != nil {
		return cli.Usage(err)
	}
	wanted.Trials, wanted.Halving, wanted.Adapter.Dir = o.search.trials, o.search.halving, r.Loader.Dir
	if err := wanted.Check(ctx); err != nil {
		return cli.Usage(err)
	}
	s := &searching{App: a, Search: wanted, jobs: o.jobs, runner: r, standings: map[int]search.Standing{}}
	trials := wanted.All()
	plans, err := s.plans(ctx, trials, 0)
	if err != nil {
		return err
	}
	announce(a, plans, auto, wanted.Adapted)
	for _, p := range plans[1:] {
		if first := plans[0].Run.Epochs; wanted.Halving > 1 && p.Run.Epochs != first {
			return cli.Usagef("the samples have %d and %d epochs, but halving decides how long they train: set epochs=N, the maximum", first, p.Run.Epochs)
		}
	}
	rungs := wanted.Rungs(len(trials), plans[0].Run.Epochs)
	s.announce(len(trials), rungs)
	if !o.dryRun {
		return s.run(ctx, trials, rungs)
	}
	if wanted.Halving > 1 {
		a.Printf("below is the first rung\n")
		if plans, err = s.plans(ctx, trials, rungs[0].Epochs); err != nil {
			return err
		}
	}
	return forecast(ctx, a, r, plans, o.jobs)
}

// plans returns the plan of each trial; epochs above 0 overrides their epochs.
func (s *searching) plans(ctx context.Context, trials []search.Trial, epochs int) (out []*plan.Plan, err error) {
	for _, t := range trials {
		p, err := s.Plan(ctx, t, epochs)
		if err != nil {
			return nil, cli.Usage(err)
		}
		out = append(out, p)
	}
	return out, nil
}

func (s *searching) announce(trials int, rungs []search.Rung) {
	text := fmt.Sprintf("search: %s, ranked on the validation split; the test set is not used", format.Counted(trials, "trial"))
	if trials < s.Trials {
		text += fmt.Sprintf("; %d were requested, but no more are different", s.Trials)
	}
	if len(rungs) > 1 {
		var parts []string
		for _, r := range rungs {
			parts = append(parts, fmt.Sprintf("%d for %s", r.Trials, format.Counted(r.Epochs, "epoch")))
		}
		text += "; " + strings.Join(parts, ", then ")
	}
	s.Say(text)
}

func (s *searching) run(ctx context.Context, trials []search.Trial, rungs []search.Rung) (failed error) {
	for i, rung := range rungs {
		if i > 0 {
			trials = s.best(trials, rung.Trials)
		}
		if len(trials) == 0 {
			break
		}
		if len(rungs) > 1 {
			s.Printf("rung %d of %d: %s of %s%s\n", i+1, len(rungs), format.Counted(len(trials), "trial"),
				format.Counted(rung.Epochs, "epoch"), share(s.App, s.jobs, len(trials)))
		}
		out, err := s.rung(ctx, trials, i+1, rung.Epochs)
		if err != nil {
			return err
		}
		if err := out.close(ctx); err != nil {
			if len(out.results) < len(trials) { // stopped; failures do not end a search
				return err
			}
			failed = worst(failed, err)
		}
	}
	return errors.Join(s.show(), failed)
}

// rung trains trials for that many epochs; 0 means the epochs of their own settings. It records how
// each ends.
func (s *searching) rung(ctx context.Context, trials []search.Trial, rung, epochs int) (*grid, error) {
	plans, err := s.plans(ctx, trials, epochs)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(trials))
	for i, t := range trials {
		labels[i] = fmt.Sprintf("trial %d %s", t.N, strings.Join(t.Assignments, " "))
	}
	return train(ctx, s.App, s.runner, plans, labels, s.jobs, func(r parallel.Result) {
		if errors.Is(r.Err, context.Canceled) {
			return
		}
		st := search.Standing{Trial: trials[r.Index], Rung: rung, Epochs: plans[r.Index].Run.Epochs, Err: r.Err}
		if r.Err == nil {
			st.Run = r.Outcome.Run
			st.Chosen, st.Err = st.Run.Chosen()
		}
		s.standings[st.Trial.N] = st
	}), nil
}

func (s *searching) ranked() []search.Standing {
	list := slices.SortedFunc(maps.Values(s.standings), func(a, b search.Standing) int { return a.Trial.N - b.Trial.N })
	search.Rank(list)
	return list
}

// best returns the n best trials without the failed ones.
func (s *searching) best(trials []search.Trial, n int) (out []search.Trial) {
	for _, st := range s.ranked() {
		in := slices.ContainsFunc(trials, func(t search.Trial) bool { return t.N == st.Trial.N })
		if in && st.Err == nil && len(out) < n {
			out = append(out, st.Trial)
		}
	}
	return out
}

// show prints the table of a search, its winner, and the commands to evaluate it on the test set.
func (s *searching) show() error {
	list := s.ranked()
	s.Printf("\n")
	if err := s.table(list); err != nil || list[0].Err != nil {
		return err
	}
	s.Printf("\n")
	best := list[0]
	by := best.Run.Config.ScoredBy(&best.Chosen)
	score := map[string]string{"valid_loss": "loss ", "valid_macro_f1": "macro-F1 "}[by.Key] + format.Optional(by.Of(&best.Chosen), by.Decimals)
	if by.Unit == "percent" {
		score += " %"
	}
	s.Say(fmt.Sprintf("best: %s, %s on the validation split (epoch %d of %d). As the best of %d, it is too good by chance; the test set has not been used.",
		strings.Join(best.Trial.Assignments, " "), score, best.Chosen.Epoch, best.Epochs, len(list)))

	words := slices.Concat([]string{"run"}, s.Search.Names, s.Fixed, best.Trial.Assignments, []string{"select=best"})
	isSeed := func(word string) bool { return strings.HasPrefix(word, "seed=") }
	cli.Next(s.IO, [][2]string{
		{s.Command(append(words, "test=last")...), "evaluate it on test, once"},
		{s.Command(append(slices.DeleteFunc(slices.Clone(words), isSeed), "test=last", "seed=1..5")...), "with five seeds"},
		{s.Command("report", "--out", "figures"), "all trials, and a figure of what mattered"},
	})
	return nil
}

// table shows the best trials of the last rung.
func (s *searching) table(list []search.Standing) error {
	var best []*runs.Run
	for _, st := range list {
		if st.Err == nil && st.Rung == list[0].Rung && len(best) < shownTrials {
			best = append(best, st.Run)
		}
	}
	if len(best) == 0 {
		return nil
	}
	rep := tables.Build(best, tables.Options{Dir: s.Runs, Order: experiments.InOrder()})
	return rep.Text(s.IO.Out, s.IO.Width(), s.IO.Color())
}
