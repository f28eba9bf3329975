package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
		Settings             []Setting
		Data                 []Fact
	}
	pageRun struct {
		*report.Result
		Anchor      string // ID of the element; "" for a run that is on the page already
		Score, Time string
	}
)

// Fact is a fact about a run; Class is the CSS class of its element.
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
	first, name := &c.Runs[0].Config, c.Task().Score.Name
	p := pageRow{Score: "test acc.", Data: Facts(first)}
	acc, key, notes, missing := c.Score(), c.Task().Score.Key, c.Notes, "no test accuracy yet"
	switch {
	case c.Runs[0].Trial():
		acc, key, notes = c.Stat("valid_acc"), "valid_acc", c.TrialNotes()
		p.Score, missing = "valid acc.", "no accuracy on a validation split"
	case len(c.Task().Decoded) > 0:
		p.Score, missing = name, "no "+name+" on test yet"
	}
	p.Result = strings.TrimSpace(format.Fixed(acc.Mean, 2) + " % " + c.Spread(acc))
	if acc.N == 0 {
		p.Result = missing
	}
	seeds := report.Map(c.Runs, func(r *report.Result) string {
		p.Runs = append(p.Runs, runRow(r, key, there))
		sessions, _ := r.Run.Environments() // none if the file is damaged
		for _, e := range sessions {
			p.Data = report.Union(p.Data, Fact{Key: "trained by", Value: Program(e) + "; " + Machine(e), Class: "text"})
		}
		if d := r.Config.General().TestSeed; d != 0 {
			return fmt.Sprintf("%d (division %d)", r.Config.Seed(), d)
		}
		return fmt.Sprint(r.Config.Seed())
	})
	p.Seeds = "seed " + strings.Join(seeds, ", ")
	if o.Command != nil {
		p.Command = o.Command(report.Map(c.Runs, func(r *report.Result) *runs.Config { return &r.Config }))
	}
	if o.Settings != nil {
		p.Settings = o.Settings(first)
	}
	p.Notes = report.Map(notes, func(n report.Note) string { return n.String() + "." })
	return p
}

func runRow(r *report.Result, score string, there map[string]bool) pageRun {
	p := pageRun{Result: r, Score: format.Fixed(r.Chosen.Get(score), 2), Time: format.None}
	if id := "run-" + format.Short(r.Config.ID); !there[id] {
		p.Anchor, there[id] = id, true
	}
	if seconds, ok := r.Run.Trained(); ok {
		p.Time = time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	}
	return p
}

// Facts returns the data of a run and their digests.
func Facts(c *runs.Config) []Fact {
	out := []Fact{{Key: "name", Value: c.Data.Name}}
	for _, part := range []struct {
		name string
		runs.Part
	}{{"training", c.Data.Train}, {"validation", c.Data.Valid}, {"test", c.Data.Test}} {
		if part.Reviews > 0 {
			value := fmt.Sprintf("%s %s, %s words", format.Thousands(part.Reviews), c.Data.Unit(), format.Thousands(part.Words))
			if part.Targets > 0 {
				value += fmt.Sprintf(" and %s of the translations", format.Thousands(part.Targets))
			}
			out = append(out, Fact{Key: part.name, Value: value})
		}
	}
	if len(c.Classes) > 0 {
		out = append(out, Fact{Key: "classes", Value: strings.Join(c.Classes, ", "), Class: "text"})
	}
	out = append(out, Fact{Key: "model", Value: c.Model}, Fact{Key: "result version", Value: fmt.Sprint(c.Result)})
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		out = append(out, Fact{Key: "digest of " + k, Value: c.Digests[k], Class: "mono digest"})
	}
	return out
}

// Program names the version and the revision that trained, and the modules it was built from.
func Program(e runs.Environment) string {
	out := []string{e.Build(), e.Go}
	for _, m := range slices.Sorted(maps.Keys(e.Modules)) {
		out = append(out, m[strings.LastIndex(m, "/")+1:]+" "+e.Modules[m])
	}
	return strings.Join(out, ", ")
}

// Machine describes the processor that trained.
func Machine(e runs.Environment) string {
	return fmt.Sprintf("%s, %s/%s, %s, %s", e.CPU, e.OS, e.Arch, e.SIMD, format.Counted(e.Workers, "worker"))
}
