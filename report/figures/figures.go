// Package figures answers: what do runs look like? It draws the figures of the published
// report and their like from run folders; see kind.
package figures

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// Smoothed is the weight of the exponential mean of curves, see report.Smooth; 0: the raw ones alone.
type Smoothed float64

// Of returns the figures that the runs allow: comparisons, those of the published report for each variant, then those of
// every other setting. One run is drawn for each setting: on the most comparable data, then with the most epochs, then
// the median seed on test. Trials of a search are drawn only without other runs. order is that of experiments, see
// report.ReadAll.
func (w Smoothed) Of(list []*runs.Run, order ...string) []canvas.Figure {
	every := w.drawings(list, order...)
	all := report.Filter(every, func(d *drawing) bool { return !d.Trial() })
	if len(all) == 0 {
		all = every
	}
	out := append(across(all, true), searches(every)...)
	drawn := map[string]bool{}
	setting := func(d *drawing, k *kind) string { return k.name + "\n" + report.SettingKey(d.Result) }
	for _, e := range Published() {
		figures, of := e.draw(all)
		out = append(out, figures...)
		for _, d := range of {
			drawn[setting(d, e.kind)] = true
		}
	}
	for _, d := range inTableOrder(all) {
		for _, k := range registry {
			if k.one == nil || drawn[setting(d, k)] {
				continue
			}
			if f, ok := d.figure(k, 0); ok {
				drawn[setting(d, k)] = true
				out = append(out, f)
			}
		}
	}
	return append(out, across(all, false)...)
}

// draw draws a published figure of runs, of each variant that of the first that has something for it.
func (e Entry) draw(all []*drawing) (out []canvas.Figure, drawn []*drawing) {
	fit := report.Filter(all, func(d *drawing) bool {
		return e.kind.one != nil && d.Config.Name == e.Experiment && d.Optimizer() == e.Optimizer && !d.Trial()
	})
	slices.SortStableFunc(fit, func(a, b *drawing) int { return cmp.Compare(a.Variant(), b.Variant()) })
	for _, d := range fit {
		if n := len(drawn); n > 0 && drawn[n-1].Variant() == d.Variant() {
			continue
		}
		if f, ok := d.figure(e.kind, e.Number); ok {
			out, drawn = append(out, f), append(drawn, d)
		}
	}
	return out, drawn
}

// drawing is a run to be drawn.
type drawing struct {
	*report.Result
	seeds   []*drawing // by seed: the runs that differ from it in nothing else, and itself
	typical int        // -1 for the one that stands for them, see report.Middle; else 0

	smooth    Smoothed
	predicted *tested // nil until it is read
	usual     report.Usual
}

// inTableOrder returns the runs by experiment, optimizer and variant, default
// first; equal ones keep their order.
func inTableOrder(all []*drawing) []*drawing {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *drawing) int {
		return cmp.Or(report.ByExperiment(a.Result, b.Result), cmp.Compare(a.Variant(), b.Variant()))
	})
}

// drawings returns the runs, the most typical of each setting first.
func (w Smoothed) drawings(list []*runs.Run, order ...string) []*drawing {
	usual := report.Usual{}
	all := report.Map(report.ReadAll(list, order...), func(r *report.Result) *drawing {
		usual.Add(&r.Config)
		return &drawing{Result: r, smooth: w, usual: usual}
	})
	slices.SortStableFunc(all, preferred) // of a seed that is there twice, the better one counts
	bySeed := func(a, b *drawing) int { return cmp.Compare(a.Config.Seed(), b.Config.Seed()) }
	for _, group := range report.GroupBy(all, func(d *drawing) string { return report.SettingKey(d.Result) }) {
		seeds := slices.SortedStableFunc(slices.Values(group), bySeed)
		seeds = slices.CompactFunc(seeds, func(a, b *drawing) bool { return bySeed(a, b) == 0 })
		scores := report.Map(seeds, func(d *drawing) float64 { return d.Score })
		seeds[report.Middle(scores)].typical = -1
		for _, d := range group {
			d.seeds = seeds
		}
	}
	slices.SortStableFunc(all, preferred)
	return all
}

// preferred orders runs by how typical they are of their setting.
func preferred(a, b *drawing) int {
	full := map[bool]int{true: -1}
	return cmp.Or(
		full[report.FullIMDB(&a.Config)]-full[report.FullIMDB(&b.Config)],
		cmp.Compare(len(a.Incomparable), len(b.Incomparable)),
		cmp.Compare(given(a), given(b)),
		report.Further(a.Result, b.Result),
		a.typical-b.typical,
		cmp.Compare(a.Config.Seed(), b.Config.Seed()),
		cmp.Compare(a.Config.ID, b.Config.ID))
}

// given counts the settings of the user except the seed.
func given(d *drawing) int {
	return len(slices.DeleteFunc(d.Config.Given(), func(s runs.Value) bool { return s.Key == "seed" }))
}

// figure draws a kind of figure of one setting; false when the run has nothing for it.
func (d *drawing) figure(k *kind, number int) (canvas.Figure, bool) {
	if report.OwnData(&d.Config) {
		number = 0 // the published report has none of it
	}
	f := canvas.Figure{Number: number, Single: true}
	shown := []*drawing{d}
	if k.seeds {
		shown = d.seeds
	}
	ok := k.one(d, &f)
	name := fmt.Sprintf("%s-%s-%s", d.Config.Name, d.Optimizer(), d.Variant())
	f.Title, f.Runs = strings.TrimSuffix(d.named()+": "+f.Title, ": "), report.Map(resultsOf(shown), cited)
	f.Name = k.name + "-" + name + "-" + format.Short(d.Config.ID)
	if number > 0 {
		on := ""
		if !report.FullIMDB(&d.Config) { // the data of the published report
			f.Other = report.DataTitle(&d.Config)
			on = " (" + f.Other + ")"
		}
		f.Name, f.Title = fmt.Sprintf("figure-%02d-%s", number, name), fmt.Sprintf("Figure %d%s. %s", number, on, f.Title)
	}
	f.Name = format.FileName(f.Name)
	seen := []string{"training", "validation", "test"}
	if d.Trial() {
		seen = seen[:2]
	}
	f.Caption = who(shown) + " · " + parts(resultsOf(shown), seen...) + f.Caption
	f.Caption = strings.Join(append([]string{f.Caption}, report.Map(report.NotesOf(resultsOf(shown)), report.Note.String)...), " · ")
	return f, ok
}

// who names the runs of a figure for its caption.
func who(shown []*drawing) string {
	d := shown[0]
	if len(shown) == 1 {
		return fmt.Sprintf("%s · %s · %d of %s", d.named(), d.seed(), d.Done, format.Counted(d.Config.Epochs(), "epoch"))
	}
	seeds := report.Map(shown, func(s *drawing) string { return fmt.Sprint(s.Config.Seed()) })
	return fmt.Sprintf("%s · mean of %d seeds (%s), band ± one standard deviation · %s",
		d.named(), len(shown), strings.Join(seeds, ", "), format.Counted(d.Config.Epochs(), "epoch"))
}

// named is a run in a title. The default variant goes without saying.
func (d *drawing) named() string {
	return strings.TrimSuffix(strings.Join(slices.Concat([]string{d.Config.Name}, d.how(), []string{d.Variant()}), " "), " default")
}

// cited is a run in the metadata of a figure.
func cited(r *report.Result) string {
	return fmt.Sprintf("%s (%s, %s, seed %d)", r.Run.Label(), r.Optimizer(), cmp.Or(r.Config.Variant, "default"), r.Config.Seed())
}

// how returns the optimiser and the settings of the user, for the title.
func (d *drawing) how() []string {
	return append([]string{d.Optimizer()}, report.GivenTo(&d.Config, d.usual)...)
}

// Entry is a figure of the published report.
type Entry struct {
	Number     int
	Experiment string // whose run it shows, or whose model
	Optimizer  string // of that run; "" where a command shows it

	Command []string // the command of a figure that is not made from metrics; else nil
	Model   string   // of a drawing of a model: its name; else ""
	shows   string   // likewise; else kind says it
	kind    *kind
}

// Published returns the figures of the published report by their numbers: the one table
// of them, from the kinds that are registered.
func Published() (out []Entry) {
	for _, k := range registry {
		for _, e := range k.published {
			e.kind = k
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

// title returns the content of the figure.
func (e Entry) title() string {
	if e.kind.one == nil {
		return e.shows
	}
	return fmt.Sprintf("%s of %s, %s", e.kind.shows, e.Experiment, e.Optimizer)
}

// kind is a kind of figure. Each registers itself in its own file, with its numbers in the published report.
type kind struct {
	name      string  // begins the names of its files; kinds are in their order
	shows     string  // for Entry.title
	published []Entry // the published report's figures of this kind

	// One of these draws it; neither, where commands show it.
	one  func(*drawing, *canvas.Figure) bool // of one setting; false when its runs have nothing for it
	many func([]*drawing) []canvas.Figure    // of all runs, those first that stand best for their setting

	seeds bool // one draws all seeds of the setting, not the one nearest their median
	first bool // many stands before the figures of single settings, not behind them
}

var registry []*kind

// register adds a kind; it is called in the initialisation of a kind's file.
func register(k kind) struct{} {
	i, _ := slices.BinarySearchFunc(registry, k.name, func(k *kind, name string) int { return cmp.Compare(k.name, name) })
	registry = slices.Insert(registry, i, &k)
	return struct{}{}
}

// across draws the kinds that show several settings, those first or those last.
func across(all []*drawing, first bool) (out []canvas.Figure) {
	for _, k := range registry {
		if k.many != nil && k.first == first {
			out = append(out, k.many(all)...)
		}
	}
	return out
}

// Figures of commands, from a model or from a run and a review.
var _ = register(kind{name: "elsewhere", published: []Entry{
	{Number: 1, Experiment: "tme9-mean", Model: "mean", shows: "drawing of the mean model", Command: []string{"show", "tme9-mean"}},
	{Number: 5, Experiment: "tme9-simple", shows: "the words of a review with the largest attention", Command: []string{"attend", "tme9-simple"}},
	{Number: 6, Experiment: "tme9-values", Model: "values", shows: "drawing of query, keys and values", Command: []string{"show", "tme9-values"}},
	{Number: 18, Experiment: "tme10-pe", shows: "dot products between the embeddings of a review, with positions", Command: []string{"attend", "tme10-pe", "--dots"}},
}})

// UnknownError is a name or number of no figure.
type UnknownError struct{ error }

// Named returns the figures of Of whose names are or begin with these, with or without the ending of a file, or which
// have these numbers in the published report. For a number that cannot be made the error has the command, as command
// writes it. Other names that no figure has are an UnknownError.
func (w Smoothed) Named(list []*runs.Run, order []string, command func(words ...string) string, names ...string) (out []canvas.Figure, err error) {
	all := w.Of(list, order...)
	var errs []error
	for _, name := range names {
		stem := strings.TrimSuffix(strings.TrimSuffix(name, ".svg"), ".png")
		number, err := strconv.Atoi(name)
		if err == nil {
			stem = fmt.Sprintf("figure-%02d", number)
		}
		found := report.Filter(all, func(f canvas.Figure) bool { return f.Name == stem || strings.HasPrefix(f.Name, stem+"-") })
		switch out = append(out, found...); {
		case len(found) > 0:
		case err == nil:
			errs = append(errs, missing(number, command))
		default:
			known := report.Few(report.Map(all, func(f canvas.Figure) string { return f.Name }), 12)
			errs = append(errs, &UnknownError{fmt.Errorf("--figure %s: no such figure; these runs have %s; the published report's have numbers, such as --figure 14; --figure curve draws numbers over a setting",
				name, cmp.Or(known, "none"))})
		}
	}
	return out, errors.Join(errs...)
}

// missing is the error of a number that no run shows.
func missing(number int, command func(words ...string) string) error {
	text := fmt.Sprintf("no figure %d in the published report that runs can show; known are", number)
	for _, e := range Published() {
		switch {
		case e.Number != number:
			text += fmt.Sprintf("\n  %2d  %s", e.Number, e.title())
		case e.kind.one == nil:
			return fmt.Errorf("figure %d (%s) is not made from a run's metrics; try: %s", number, e.title(), command(e.Command...))
		default:
			return fmt.Errorf("figure %d (%s): no run has it; train it: %s (without variant=original, with our defaults)", number, e.title(),
				command("run", e.Experiment, "optimizer="+e.Optimizer, "variant=original"))
		}
	}
	return &UnknownError{errors.New(text)}
}
