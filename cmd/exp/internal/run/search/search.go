// Package search implements exp run --search: which settings are best on the validation split?
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/forecast"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/search"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// searching is a running search.
type searching struct {
	*cli.App
	search    *search.Search
	grid      grid.Options
	runner    *training.Runner
	standings map[int]search.Standing // by the number of the trial
}

// Run samples settings, trains them and ranks them on the validation split. The same command continues
// a search: it has the same trials, and finished ones are skipped.
func Run(ctx context.Context, a *cli.App, r *training.Runner, auto plan.Auto, words []string, o Options) error {
	if o.by != "" {
		words = append(words, "select.by="+o.by)
	}
	wanted, err := search.New(words, auto.Data)
	if err != nil {
		return cli.Usage(err)
	}
	wanted.Trials, wanted.Halving, wanted.Adapter.Dir = o.trials, o.halving, r.Loader.Dir
	if err := wanted.Check(ctx); err != nil {
		return cli.Usage(err)
	}
	trials := wanted.All()
	plans, err := plansOf(ctx, wanted, trials, 0)
	if err != nil {
		return cli.Usage(err)
	}
	a.Say(progress.DataLine(plans, auto), "", "  ")
	for _, text := range wanted.Adapted {
		a.Say(text, "  ", "    ")
	}
	for _, text := range plan.Idle(plans) {
		a.Say("note: "+text, "", "  ")
	}
	for _, p := range plans[1:] {
		if first := plans[0].Run.Epochs; wanted.Halving > 1 && p.Run.Epochs != first {
			return cli.Usage(fmt.Errorf("the samples have %d and %d epochs, but halving decides how long they train: give epochs=N, the longest time", first, p.Run.Epochs))
		}
	}
	rungs := wanted.Rungs(len(trials), plans[0].Run.Epochs)
	announce(a.IO, wanted, len(trials), rungs)
	if o.DryRun {
		if wanted.Halving > 1 {
			if plans, err = plansOf(ctx, wanted, trials, rungs[0].Epochs); err != nil {
				return cli.Usage(err)
			}
			a.Say(fmt.Sprintf("below is the first rung; all of them take %.1f times its epochs", allRungs(rungs)), "", "  ")
		}
		return forecast.Show(ctx, a, r, plans, o.Jobs)
	}
	s := &searching{App: a, search: wanted, runner: r, standings: map[int]search.Standing{}}
	s.grid = grid.Options{Jobs: o.Jobs}
	return s.run(ctx, trials, rungs)
}

// plansOf returns the run of each trial; epochs above 0 is how long they train.
func plansOf(ctx context.Context, search *search.Search, trials []search.Trial, epochs int) ([]*plan.Plan, error) {
	var out []*plan.Plan
	for _, t := range trials {
		p, err := search.Plan(ctx, t, epochs)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// allRungs returns the epochs of all rungs as a multiple of those of the first.
func allRungs(rungs []search.Rung) float64 {
	all, before := 0, 0
	for _, r := range rungs {
		all, before = all+r.Trials*(r.Epochs-before), r.Epochs
	}
	return float64(all) / float64(rungs[0].Trials*rungs[0].Epochs)
}

// announce prints the plan of the search.
func announce(io *term.IO, search *search.Search, trials int, rungs []search.Rung) {
	text := fmt.Sprintf("search: %s, ranked on the validation split; the test set is not used", format.Counted(trials, "trial"))
	if trials < search.Trials {
		text += fmt.Sprintf("; there are no more different ones, of the %d requested", search.Trials)
	}
	if len(rungs) > 1 {
		var parts []string
		for _, r := range rungs {
			parts = append(parts, fmt.Sprintf("%d for %s", r.Trials, format.Counted(r.Epochs, "epoch")))
		}
		text += "; " + strings.Join(parts, ", then ")
	}
	io.Say(text, "", "  ")
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
				format.Counted(rung.Epochs, "epoch"), grid.Shared(s.App, s.grid.Jobs, len(trials)))
		}
		out, err := s.rung(ctx, trials, i+1, rung.Epochs)
		if err != nil {
			return err
		}
		if err := out.Close(ctx); err != nil {
			if len(out.Results) < len(trials) { // stopped; failures do not end a search
				return err
			}
			failed = grid.Worst(failed, err)
		}
	}
	s.show()
	return failed
}

// rung trains trials for that many epochs; 0 means the epochs of their own settings.
func (s *searching) rung(ctx context.Context, trials []search.Trial, rung, epochs int) (*grid.Outcome, error) {
	plans, err := plansOf(ctx, s.search, trials, epochs)
	if err != nil {
		return nil, cli.Usage(err)
	}
	labels := make([]string, len(trials))
	for i, t := range trials {
		labels[i] = fmt.Sprintf("trial %d %s", t.N, strings.Join(t.Assignments, " "))
	}
	o := s.grid
	o.Ended = func(r parallel.Result) { s.ended(trials[r.Index], rung, plans[r.Index].Run.Epochs, r) }
	return grid.Train(ctx, s.App, s.runner, plans, labels, o), nil
}

// ended records the end of a trial.
func (s *searching) ended(t search.Trial, rung, epochs int, r parallel.Result) {
	if errors.Is(r.Err, context.Canceled) {
		return
	}
	st := search.Standing{Trial: t, Rung: rung, Epochs: epochs, Err: r.Err}
	if r.Err == nil {
		st.Run = r.Outcome.Run
		st.Chosen, st.Err = st.Run.Chosen()
	}
	s.standings[t.N] = st
}

// ranked returns the standings, the best first.
func (s *searching) ranked() (list []search.Standing) {
	for _, st := range s.standings {
		list = append(list, st)
	}
	slices.SortFunc(list, func(a, b search.Standing) int { return a.Trial.N - b.Trial.N })
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
func (s *searching) show() {
	list := s.ranked()
	s.Printf("\n")
	s.table(list)
	best := list[0]
	if best.Err != nil {
		return
	}
	by := best.Run.Config.ScoredBy(&best.Chosen)
	score := map[string]string{"valid_loss": "loss ", "valid_macro_f1": "macro-F1 "}[by.Key] + format.Optional(by.Of(&best.Chosen), by.Decimals)
	if by.Unit == "percent" {
		score += " %"
	}
	s.Say(fmt.Sprintf("best: %s, %s on the validation split (epoch %d of %d). Chosen among %d, that number is too good by chance; the test set has not been used.",
		strings.Join(best.Trial.Assignments, " "), score, best.Chosen.Epoch, best.Epochs, len(list)), "", "  ")

	words := slices.Concat([]string{"run"}, s.search.Names, s.search.Fixed, best.Trial.Assignments, []string{"select=best"})
	cli.Next(s.IO, [][2]string{
		{s.Command(append(words, "test=last")...), "test it, once"},
		{s.Command(append(slices.DeleteFunc(slices.Clone(words), isSeed), "test=last", "seed=1..5")...), "with five seeds"},
		{s.Command("report", "--out", "figures"), "all trials, and a figure of what mattered"},
	})
}

func isSeed(word string) bool { return strings.HasPrefix(word, "seed=") }
