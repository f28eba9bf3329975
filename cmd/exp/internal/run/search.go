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
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/search"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

type searchFlags struct {
	kind    string
	trials  int
	halving int
	by      string
}

const (
	random         = "random"
	defaultTrials  = 20
	maxTrials      = 10_000
	defaultHalving = 3
	shownTrials    = 10 // at the end of a search
)

var searchScores = []string{"accuracy", "macro_f1", "loss"}

func (o *searchFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.kind, "search", "", "random: sample settings from lists and intervals (lr=log:1e-4..1e-1 dropout=0..0.5)")
	f.IntVar(&o.trials, "trials", defaultTrials, "with --search: number of samples")
	f.IntVar(&o.halving, "halving", 0, "with --search: train briefly first, then the best one in N for N times as long, and so on")
	f.StringVar(&o.by, "search-by", "", "with --search: rank by accuracy, macro_f1 or loss on the validation split (as select.by)")
	f.Lookup("halving").NoOptDefVal = fmt.Sprint(defaultHalving)
}

func (o *searchFlags) check() error {
	switch {
	case o.by != "" && !slices.Contains(searchScores, o.by):
		return fmt.Errorf("--search-by %s: use %s", o.by, cli.OneOf(searchScores))
	case o.kind != "" && o.kind != random:
		return fmt.Errorf("--search %s: want random", o.kind)
	case o.kind != "" && (o.trials < 1 || o.trials > maxTrials):
		return fmt.Errorf("--trials %d: want 1 to %d", o.trials, maxTrials)
	}
	return nil
}

// searching is a running search: which settings are best on the validation split?
type searching struct {
	*cli.App
	*search.Search
	jobs      jobs
	runner    *training.Runner
	standings map[int]search.Standing // by the number of the trial
}

// runSearch samples settings, trains them and ranks them on the validation split. The same command
// continues a search: it has the same trials, and finished ones are skipped.
func runSearch(ctx context.Context, a *cli.App, r *training.Runner, auto plan.Auto, words []string, o options) error {
	if o.search.by != "" {
		words = append(words, "select.by="+o.search.by)
	}
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
	s.announce(len(trials), rungs)
	if !o.dryRun {
		return s.run(ctx, trials, rungs)
	}
	if wanted.Halving > 1 {
		if plans, err = s.plans(ctx, trials, rungs[0].Epochs); err != nil {
			return err
		}
		all, before := 0, 0
		for _, r := range rungs {
			all, before = all+r.Trials*(r.Epochs-before), r.Epochs
		}
		a.Say(fmt.Sprintf("below is the first rung; all of them take %.1f times its epochs", float64(all)/float64(rungs[0].Trials*rungs[0].Epochs)), "", "  ")
	}
	return forecast(ctx, a, r, plans, o.jobs)
}

// plans returns the run of each trial; epochs above 0 is how long they train.
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
		text += fmt.Sprintf("; there are no more different ones, of the %d requested", s.Trials)
	}
	if len(rungs) > 1 {
		var parts []string
		for _, r := range rungs {
			parts = append(parts, fmt.Sprintf("%d for %s", r.Trials, format.Counted(r.Epochs, "epoch")))
		}
		text += "; " + strings.Join(parts, ", then ")
	}
	s.Say(text, "", "  ")
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
				format.Counted(rung.Epochs, "epoch"), s.jobs.says(s.App, len(trials)))
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
	s.show()
	return failed
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

	words := slices.Concat([]string{"run"}, s.Search.Names, s.Fixed, best.Trial.Assignments, []string{"select=best"})
	isSeed := func(word string) bool { return strings.HasPrefix(word, "seed=") }
	cli.Next(s.IO, [][2]string{
		{s.Command(append(words, "test=last")...), "test it, once"},
		{s.Command(append(slices.DeleteFunc(slices.Clone(words), isSeed), "test=last", "seed=1..5")...), "with five seeds"},
		{s.Command("report", "--out", "figures"), "all trials, and a figure of what mattered"},
	})
}

// table shows the best trials.
func (s *searching) table(list []search.Standing) {
	head, score := "valid %", func(m *runs.Metrics) *float64 { return m.ValidAcc }
	if i := slices.IndexFunc(list, func(st search.Standing) bool { return st.Run != nil }); i >= 0 {
		if by := list[i].Run.Config.ScoredBy(&list[i].Chosen); by.Key == "valid_macro_f1" {
			head, score = "valid F1", by.Of
		}
	}
	t := term.NewTable(term.Column{Head: "rank", Right: true}, term.Column{Head: "trial", Right: true, Optional: 3}, term.Column{Head: "epochs", Right: true, Optional: 2},
		term.Column{Head: head, Right: true}, term.Column{Head: "loss", Right: true, Optional: 4}, term.Column{Head: "at", Right: true, Optional: 5})
	for _, r := range s.Ranges {
		t.Columns = append(t.Columns, term.Column{Head: r.Key, Right: true})
	}
	t.Columns = append(t.Columns, term.Column{Head: "run"})
	for i, st := range list[:min(shownTrials, len(list))] {
		row := []string{fmt.Sprint(i + 1), fmt.Sprint(st.Trial.N), fmt.Sprint(st.Epochs)}
		run := ""
		if d, diverged := errors.AsType[*training.DivergedError](st.Err); diverged {
			run = d.Message
		} else if st.Err != nil {
			run = "failed: " + st.Err.Error()
		}
		if st.Err != nil {
			row = append(row, "–", "–", "–")
		} else {
			row = append(row, format.Optional(score(&st.Chosen), 2), format.Optional(st.Chosen.ValidLoss, 4), fmt.Sprint(st.Chosen.Epoch))
			run = st.Run.Label()
		}
		for _, a := range st.Trial.Assignments {
			_, value, _ := strings.Cut(a, "=")
			row = append(row, value)
		}
		t.Add(append(row, run)...)
	}
	t.Text(s.IO, "")
	if more := len(list) - len(t.Rows); more > 0 {
		s.Printf("%d more: %s\n", more, s.Command("report", s.Search.Names[0]))
	}
}
