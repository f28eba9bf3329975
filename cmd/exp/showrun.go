package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"imdbexp/experiments/task"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

// showRun shows a run. One of a model that this program does not know is shown all
// the same.
func (a *app) showRun(s *shown) error {
	run, c := s.run, &s.run.Config
	a.printf("%s: %s\n", a.io.Paint(term.Bold, run.Label()), run.Status)
	if line, err := a.result(run); err == nil {
		a.printf("%s\n", a.wrap(strings.TrimPrefix(line, c.Name+": "), "  ", "  "))
	}
	a.printf("  %s\n", run.Path)
	a.cite(run, "  ")
	if s.model == nil {
		a.warn(fmt.Errorf("this program does not know the model %s of the run, or not its settings", c.Model))
	}
	a.model(s.info, s.model, c.Name)
	a.results(run)
	a.facts(run)
	a.runWeights(run)
	a.machine(run)
	a.heading("settings")
	t := settingsTable()
	for _, s := range known(c) {
		t.add(s.Key, s.Value, s.Default, s.From, "", s.Help)
	}
	if err := t.Text(a.io, "  "); err != nil {
		return err
	}
	a.printf("\n")
	a.commands([][2]string{{a.command("run", run.Path+"/config.yaml", "--force"), "train it again"}, {a.command("report", c.Name), "beside its like"}})
	return nil
}

// results prints a line an epoch, the first, the chosen and the last of many.
func (a *app) results(run *runs.Run) {
	all, err := run.Metrics()
	if err != nil {
		a.warn(err)
	}
	if len(all) == 0 {
		return
	}
	a.heading("results")
	columns := []term.Column{{Head: "epoch", Right: true}, {Head: "train loss", Right: true}, {Head: "acc", Right: true},
		{Head: "valid loss", Right: true, Optional: 2}, {Head: "acc", Right: true, Optional: 2},
		{Head: "test loss", Right: true}, {Head: "acc", Right: true}, {Head: "entropy", Right: true, Optional: 1}}
	if run.Config.Translates() {
		columns = append(columns, term.Column{Head: "exact", Right: true}, term.Column{Head: "BLEU", Right: true})
	}
	t := term.NewTable(columns...)
	chosen, oracle := run.ChosenEpoch(), 0
	if m, err := run.Oracle(); err == nil {
		oracle = m.Epoch
	}
	for i, m := range all {
		if len(all) > 12 && i > 0 && i < len(all)-1 && m.Epoch != chosen && m.Epoch != oracle && m.Epoch%10 != 0 {
			continue
		}
		line := []string{fmt.Sprint(m.Epoch), number(m.TrainLoss, 4), number(m.TrainAcc, 2), number(m.ValidLoss, 4), number(m.ValidAcc, 2),
			number(m.TestLoss, 4), number(m.TestAcc, 2), number(m.TestEntropy, 3), number(m.TestExact, 2), number(m.TestBLEU, 2)}
		t.Add(line[:len(columns)]...)
	}
	if err := t.Text(a.io, "  "); err != nil {
		return
	}
	if chosen > 0 {
		a.printf("%s\n", a.wrap(fmt.Sprintf("epoch %d counts (select=%s); the best on test, which nobody could choose without looking, is %d",
			chosen, run.Config.Setting("select"), oracle), "  ", "  "))
	}
}

// facts prints what the run saw.
func (a *app) facts(run *runs.Run) {
	d := run.Config.Data
	a.heading("data " + d.Name)
	for _, p := range []struct {
		name string
		runs.Part
	}{{"train", d.Train}, {"valid", d.Valid}, {"test", d.Test}} {
		if p.Reviews > 0 {
			a.printf("  %-8s %s %s, %s words%s\n", p.name, thousands(p.Reviews), d.Unit(), thousands(p.Words), targets(p.Part))
		}
	}
	if !run.Config.Translates() {
		a.printf("  classes  %s\n", strings.Join(run.Config.Classes, ", "))
	}
	a.printf("  digest of\n")
	digests := maps.Clone(run.Config.Digests)
	if digests == nil {
		digests = map[string]string{}
	}
	digests["run"], digests["table"] = run.Config.Digest, run.Config.Table
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		a.printf("  %s\n", term.Cut(fmt.Sprintf("  %-8s %s", name, digests[name]), a.io.Width()-2))
	}
}

// targets tells of the words of the translations, where there are any.
func targets(p runs.Part) string {
	if p.Targets == 0 {
		return ""
	}
	return fmt.Sprintf(", translated into %s", thousands(p.Targets))
}

// runWeights lists the arrays of the chosen checkpoint.
func (a *app) runWeights(run *runs.Run) {
	c, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return // none yet, or the status tells that it is damaged
	}
	a.heading("weights of epoch " + fmt.Sprint(c.Epoch))
	t := weightsTable()
	sum := 0
	for _, p := range c.Params {
		n := 1
		for _, d := range p.Shape {
			n *= d
		}
		sum += n
		t.Add(p.Name, shape(p.Shape...), thousands(n))
	}
	t.Add("in all", "", thousands(sum))
	t.Text(a.io, "  ")
}

// machine prints where the run was made, once for each time it went on.
func (a *app) machine(run *runs.Run) {
	all, err := run.Environments()
	if err != nil {
		a.warn(err)
	}
	if len(all) == 0 {
		return
	}
	a.heading("made by")
	for _, e := range all {
		revision := e.Revision
		if len(revision) > 12 {
			revision = revision[:12]
		}
		a.printf("%s\n", a.wrap(fmt.Sprintf("%s on %s: %s, %s/%s, %s, %s, %d workers; version %s %s", e.Started.Format(time.RFC3339),
			e.Host, e.CPU, e.OS, e.Arch, e.Go, e.SIMD, e.Workers, e.Version, revision), "  ", "    "))
		words := make([]string, len(e.Command))
		for i, w := range e.Command {
			words[i] = quoted(w)
		}
		a.printf("%s\n", a.wrap(strings.Join(words, " "), "    ", "    "))
	}
	if times, err := run.Timing(); err == nil && len(times) > 0 {
		var seconds, words float64
		for _, t := range times {
			seconds += t.Seconds
			words += t.Words * t.Seconds
		}
		a.printf("  trained in %s, %s words/s\n", clock(seconds), si(words/seconds))
	}
}

// known joins a run's settings with what this program knows about them; one that
// it does not know any more is shown as it is.
func known(c *runs.Config) []settings.Setting {
	var set *settings.Set
	if info, err := models.Lookup(c.Model); err == nil {
		set, _ = settings.New(&settings.Run{}, info.New())
	}
	var out []settings.Setting
	for _, v := range c.Settings {
		if !task.OfRun(c).Means(v.Key) {
			continue
		}
		s := settings.Setting{Key: v.Key, Default: v.Value}
		if set != nil {
			if k, ok := set.Get(v.Key); ok {
				s = k
			}
		}
		s.Value, s.From = v.Value, c.From[v.Key]
		if s.From == "" {
			s.From = "default"
		}
		out = append(out, s)
	}
	return out
}

// modelOf returns the model of a run with the settings that it had, or nil where
// this program does not know them.
func modelOf(c *runs.Config) models.Model {
	info, err := models.Lookup(c.Model)
	if err != nil {
		return nil
	}
	m := info.New()
	set, err := settings.New(&settings.Run{}, m)
	if err != nil || set.Apply("", c.Settings.Assignments()...) != nil {
		return nil
	}
	return m
}
