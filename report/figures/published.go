package figures

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

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

// kind is a kind of figure. Each registers itself in its own file, with its drawing and
// its caption and with its numbers in the published report; all else follows from here.
type kind struct {
	name      string  // begins the names of its files; kinds are in their order
	shows     string  // for titles
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
type UnknownError struct{ text string }

func (e *UnknownError) Error() string { return e.text }

// Named returns the figures of Of with these names, or whose names begin with these words. A name may have the ending of
// its file; a number is that of the published report. Where one of these cannot be made the error names the command that
// would train such a run or that shows the figure, as command writes its words for people. Other names that no figure has
// are an UnknownError.
func (w Smoothed) Named(list []*runs.Run, order []string, command func(words ...string) string, names ...string) (out []canvas.Figure, err error) {
	all := w.Of(list, order...)
	var errs []error
	for _, name := range names {
		stem := strings.TrimSuffix(strings.TrimSuffix(name, ".svg"), ".png")
		number, err := strconv.Atoi(name)
		if err == nil {
			stem = fmt.Sprintf("figure-%02d", number)
		}
		found := slices.DeleteFunc(slices.Clone(all), func(f canvas.Figure) bool { return f.Name != stem && !strings.HasPrefix(f.Name, stem+"-") })
		switch out = append(out, found...); {
		case len(found) > 0:
		case err == nil:
			errs = append(errs, missing(number, command))
		default:
			known := report.Each(all, func(f canvas.Figure) string { return f.Name })
			if more := len(known) - 12; more > 0 {
				known = append(known[:12], fmt.Sprintf("%d more", more))
			}
			errs = append(errs, &UnknownError{fmt.Sprintf("--figure %s: no such figure; these runs have %s; the published report's have numbers, such as --figure 14; --figure curve draws numbers over a setting",
				name, cmp.Or(strings.Join(known, ", "), "none"))})
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
	return &UnknownError{text}
}
