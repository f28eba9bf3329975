package page

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// The data of the template of a row's runs.
type (
	// pageRow is one cell of the tables: the seeds of one setting.
	pageRow struct {
		Title, Result, Seeds string
		Score                string // head of the column of scores
		Command              string
		Notes                []string
		Runs                 []pageRun
		Environments         []pageEnvironment
		Settings             []Setting
		Data                 []Fact
	}
	pageRun struct {
		Anchor                                        string // ID of the element; "" for a run that is on the page already
		ID, Seed, Score, Epochs, State, Time, Started string
	}
	// pageEnvironment is a program on a machine and the seeds that it trained.
	pageEnvironment struct{ Program, Machine, Seeds string }
)

// Fact is something known of a run; Class is that of its element on the page.
type Fact struct{ Key, Value, Class string }

// pageRows describes every cell in the order of the tables, and the trials separately.
func pageRows(r *tables.Report, o Options) (rows, trials []pageRow) {
	there := map[string]bool{}
	for i, b := range r.Blocks {
		for label, c := range b.All() {
			p := cellRow(c, o, there)
			p.Title = label + " · " + c.Variant
			if len(r.Blocks) > 1 {
				p.Title += " · " + cmp.Or(c.Runs[0].Config.Data.Name, fmt.Sprintf("data %d", i+1))
			}
			if c.Runs[0].Trial() {
				trials = append(trials, p)
			} else {
				rows = append(rows, p)
			}
		}
	}
	return rows, trials
}

func cellRow(c *tables.Cell, o Options, there map[string]bool) pageRow {
	first := &c.Runs[0].Config
	p := pageRow{Score: "test acc.", Data: Facts(first), Environments: environments(c)}
	acc, key, notes, missing := c.Score(), c.Task().Score.Key, c.Notes, "no test accuracy yet"
	switch {
	case c.Runs[0].Trial():
		acc, key, notes = c.Stat("valid_acc"), "valid_acc", c.TrialNotes()
		p.Score, missing = "valid acc.", "no accuracy on a validation split"
	case len(c.Task().Decoded) > 0:
		name := c.Task().Score.Name
		p.Score, missing = name, "no "+name+" on test yet"
	}
	p.Result = strings.TrimSpace(format.Fixed(acc.Mean, 2) + " % " + c.Spread(acc))
	if acc.N == 0 {
		p.Result = missing
	}
	var configs []*runs.Config
	var seeds []string
	for _, r := range c.Runs {
		seed := fmt.Sprint(r.Config.Seed())
		if d := r.Config.General().TestSeed; d != 0 {
			seed += fmt.Sprintf(" (division %d)", d)
		}
		configs, seeds = append(configs, &r.Config), append(seeds, seed)
		p.Runs = append(p.Runs, runRow(r, key, there))
	}
	p.Seeds = "seed " + strings.Join(seeds, ", ")
	if o.Command != nil {
		p.Command = o.Command(configs)
	}
	if o.Settings != nil {
		p.Settings = o.Settings(first)
	}
	p.Notes = append(p.Notes, report.Each(notes, func(n report.Note) string { return n.String() + "." })...)
	return p
}

func runRow(r *report.Result, score string, there map[string]bool) pageRun {
	p := pageRun{
		ID: r.Config.ID, Seed: fmt.Sprint(r.Config.Seed()), Score: format.Fixed(r.Chosen.Get(score), 2),
		Epochs: fmt.Sprintf("%d of %d", r.Done, r.Config.Epochs()), State: r.Run.Present().State.String(), Time: format.None,
	}
	if id := "run-" + format.Short(r.Config.ID); !there[id] {
		p.Anchor, there[id] = id, true
	}
	if seconds, ok := r.Run.Trained(); ok {
		p.Time = time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	}
	var started []string
	for _, e := range environmentsOf(r) {
		started = report.With(started, e.Started.UTC().Format("2006-01-02 15:04"))
	}
	p.Started = strings.Join(started, ", ")
	return p
}
