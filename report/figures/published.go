package figures

import (
	"cmp"
	"fmt"
	"slices"
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

// numbered returns the figure with that number; false if no figure has it.
func numbered(number int) (Entry, bool) {
	all := Published()
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Number == number })
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}

// title returns the content of the figure.
func (e Entry) title() string {
	if e.kind.one == nil {
		return e.shows
	}
	return fmt.Sprintf("%s of %s, %s", e.kind.shows, e.Experiment, e.Optimizer)
}
