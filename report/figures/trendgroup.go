package figures

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/report"
)

var (
	// repeats are the settings whose values are draws of one thing.
	repeats = []string{"seed", "data.train_seed"}

	// amounts are the settings that say how many reviews there are. What is good for many
	// is not for few: 42 epochs over a hundred reviews are 84 steps.
	amounts = []string{"data.train", "data.limit"}

	// loop are the settings that may go with an amount.
	loop = []string{"epochs", "batch", "lr"}
)

// lineGroup is the runs of one line.
type lineGroup struct {
	runs  []*drawing
	along []string // settings that change with x: one value for each value of x
}

// onLines groups runs that differ only in x, in settings that change with x, and in seeds
// and the like, in order of first use.
func onLines(on []*drawing, x string) []lineGroup {
	var mayGo []string
	if slices.Contains(amounts, x) {
		mayGo = loop
	}
	free := append([]string{x}, repeats...)
	var out []lineGroup
	for _, list := range apart(on, slices.Concat(free, mayGo)) {
		along := slices.DeleteFunc(slices.Clone(mayGo), func(key string) bool { return !goesWith(list, x, key) })
		for _, list := range apart(list, slices.Concat(free, along)) {
			out = append(out, lineGroup{list, along})
		}
	}
	return out
}

// apart groups runs of the same result version and content of data that differ in nothing but
// the settings free.
func apart(list []*drawing, free []string) [][]*drawing {
	return report.GroupBy(list, func(d *drawing) string {
		return fmt.Sprintln(d.Config.Name, d.Variant(), d.Config.Behind(), d.Config.Digests["data"]) + d.settings(func(key string) bool { return !slices.Contains(free, key) })
	})
}

// goesWith reports whether a setting has one value wherever x has one, and several in all.
func goesWith(list []*drawing, x, key string) bool {
	at, values := map[string]string{}, map[string]bool{}
	for _, d := range list {
		v := d.Config.Setting(key)
		if other, seen := at[d.Config.Setting(x)]; seen && other != v {
			return false
		}
		at[d.Config.Setting(x)], values[v] = v, true
	}
	return len(values) > 1
}

// settings formats the chosen settings.
func (d *drawing) settings(wanted func(key string) bool) string {
	var b strings.Builder
	for _, s := range d.Config.Settings {
		if wanted(s.Key) {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	return b.String()
}
