package show

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// showRun shows a run, even if this program does not know its model.
func showRun(a *cli.App, s *subject, words []string, all bool) error {
	run, c := s.run, &s.run.Config
	a.Say(fmt.Sprintf("%s: %s", a.Headed(c), run.Present()))
	if line, err := cli.ResultLine(run); err == nil {
		a.SayIndented(strings.TrimPrefix(line, c.Name+": "), "  ", "  ")
	}
	a.SayIndented(term.Line(run.Path), "  ", "  ")
	m, err := run.Remarks()
	a.Warn(err)
	if len(m.Tags) > 0 {
		a.SayIndented("tags: "+strings.Join(m.Tags, ", "), "  ", "    ")
	}
	if m.Note != "" {
		a.SayIndented("note: "+m.Note, "  ", "    ")
	}
	cli.Cite(a.IO, run, "  ")
	if s.model == nil {
		a.Warn(fmt.Errorf("this program does not know the model %s of the run, or its settings", term.Line(c.Model)))
	}
	damage := printResults(a, run)
	printFacts(a.IO, run)
	printHeaviest(a, run)
	printMachine(a, run)
	printSettings(a, plan.SettingsOf(c), func(string) string { return "" }, words, all)
	printModel(a.IO, s.info, s.model, c.Name)
	a.Printf("\n")
	there := *a // the run may be in another folder than --runs
	there.Runs = filepath.Join(run.Path, "..", "..")
	cli.Next(a.IO, [][2]string{{there.Command("run", filepath.Join(run.Path, "config.yaml"), "--force"), "train it again"}, {there.Command("report", c.Name), "compare it with similar runs"}})
	if damage != nil {
		return fmt.Errorf("the run is damaged: %w; exp doctor says how to fix it", damage)
	}
	return nil
}

// printResults prints a line for each epoch; of many epochs the first, the chosen, the best on test,
// every tenth and the last. It returns the error of damaged files.
func printResults(a *cli.App, run *runs.Run) error {
	all, err := run.Metrics()
	ends, damage := run.Ends()
	if err != nil {
		a.Warn(err)
	}
	if len(all) == 0 {
		return damage
	}
	a.Heading("results")
	t := term.NewTable(term.Right("epoch"), term.Right("train loss"), term.Right("acc"), term.Right("valid loss").Drop(2), term.Right("acc").Drop(2),
		term.Right("test loss"), term.Right("acc"), term.Right("entropy").Drop(1))
	more := runs.Columns(all...)
	for _, m := range more {
		t.Columns = append(t.Columns, term.Right(m.Column))
	}
	chosen, oracle := run.ChosenEpoch(), 0
	if ends.Oracle != nil {
		oracle = ends.Oracle.Epoch
	}
	for i, m := range all {
		if len(all) > 12 && i > 0 && i < len(all)-1 && m.Epoch != chosen && m.Epoch != oracle && m.Epoch%10 != 0 {
			continue
		}
		line := []string{fmt.Sprint(m.Epoch), format.Optional(m.TrainLoss, 4), format.Optional(m.TrainAcc, 2), format.Optional(m.ValidLoss, 4), format.Optional(m.ValidAcc, 2),
			format.Optional(m.TestLoss, 4), format.Optional(m.TestAcc, 2), format.Optional(m.TestEntropy, 3)}
		for _, x := range more {
			line = append(line, format.Optional(x.Of(&m), x.Decimals))
		}
		t.Add(line...)
	}
	t.Text(a.IO, "  ")
	if chosen > 0 {
		text := fmt.Sprintf("epoch %d is chosen (select=%s)", chosen, run.Config.General().Select)
		if oracle > 0 {
			text += fmt.Sprintf("; best test epoch: %d (chosen on the test set, so not a valid result)", oracle)
		}
		a.SayIndented(text, "  ", "  ")
	}
	return damage
}

func printFacts(io *term.IO, run *runs.Run) {
	d := run.Config.Data
	io.Heading("data " + d.Name)
	for _, p := range []struct {
		name string
		runs.Part
	}{{"train", d.Train}, {"valid", d.Valid}, {"test", d.Test}} {
		if p.Reviews == 0 {
			continue
		}
		text := fmt.Sprintf("%s %s, %s words", format.Thousands(p.Reviews), d.Unit(), format.Thousands(p.Words))
		if p.Targets > 0 {
			text += ", translated into " + format.Thousands(p.Targets)
		}
		io.SayIndented(text, fmt.Sprintf("  %-8s ", p.name), "    ")
	}
	if len(run.Config.Classes) > 0 {
		io.SayIndented(term.Line(strings.Join(run.Config.Classes, ", ")), "  classes  ", "    ")
	}
}

// printMachine prints the machine and command of each part of the run.
func printMachine(a *cli.App, run *runs.Run) {
	all, err := run.Environments()
	if err != nil {
		a.Warn(err)
	}
	if len(all) == 0 {
		return
	}
	a.Heading("machine")
	for _, e := range all {
		a.SayIndented(fmt.Sprintf("%s on %s: %s, %s/%s, %s, %s, %d workers; %s", e.Started.Format(time.RFC3339),
			e.Host, e.CPU, e.OS, e.Arch, e.Go, e.SIMD, e.Workers, e.Build()), "  ", "    ")
		a.SayIndented(strings.Join(report.Map(e.Command, cli.Quoted), " "), "    ", "    ")
	}
	if times, err := run.Timing(); err == nil && len(times) > 0 {
		var seconds, words float64
		for _, t := range times {
			seconds += t.Seconds
			words += t.Words * t.Seconds
		}
		a.SayIndented(fmt.Sprintf("trained in %s, %s words/s; with data and evaluation in %s", format.Clock(seconds), format.SI(words/seconds), format.Clock(runs.Seconds(all))), "  ", "    ")
	}
}
