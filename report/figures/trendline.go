package figures

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/tables"
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
	for _, list := range bySetting(on, slices.Concat(free, mayGo)) {
		along := report.Filter(mayGo, func(key string) bool { return goesWith(list, x, key) })
		out = append(out, report.Map(bySetting(list, slices.Concat(free, along)), func(list []*drawing) lineGroup { return lineGroup{list, along} })...)
	}
	return out
}

// bySetting groups runs of the same result version and content of data that differ in nothing but
// the settings free.
func bySetting(list []*drawing, free []string) [][]*drawing {
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

// overEpochs is the x of a trend over epochs, which is not a setting.
const overEpochs = "epoch"

// nameAmong returns the experiment of a line and in what it differs from others of the same.
func nameAmong(lines [][]*drawing, i int, named []string) string {
	d := lines[i][0]
	words := []string{d.Config.Name}
	add := func(word string, of func(*drawing) string) {
		differs := func(o []*drawing) bool { return o[0].Config.Name == d.Config.Name && of(o[0]) != of(d) }
		if slices.ContainsFunc(lines, differs) {
			words = append(words, word)
		}
	}
	add(d.Optimizer(), (*drawing).Optimizer)
	add(d.Variant(), (*drawing).Variant)
	add(fmt.Sprintf("(result version %d)", d.Config.Result), func(o *drawing) string { return fmt.Sprint(o.Config.Behind()) })
	same := func(l []*drawing) bool { return l[0].Config.Digests["data"] == d.Config.Digests["data"] }
	add(fmt.Sprintf("(data %d)", 1+slices.IndexFunc(lines, same)), func(o *drawing) string { return o.Config.Digests["data"] })
	for _, s := range d.Config.Settings {
		if !slices.Contains(named, s.Key) {
			add(s.Key+"="+s.Value, func(o *drawing) string {
				if o.Variant() != d.Variant() { // the variant already names the difference
					return s.Value
				}
				return o.Config.Setting(s.Key)
			})
		}
	}
	return strings.Join(words, " ")
}

// trendOf returns the points of a group, see onLines; over epochs, of the same repetitions at each. some is 1 if there
// are numbers, even where no point is left of them.
func trendOf(list []*drawing, x string, y tables.Number) (out []chart.Point, some int, err error) {
	byX := map[float64]map[string]float64{} // of each repetition
	for _, d := range list {
		again := d.settings(func(key string) bool { return slices.Contains(repeats, key) })
		err := d.values(x, y, func(at, v float64) {
			if _, twice := byX[at][again]; !twice && math.Abs(v) <= canvas.DrawableMax { // the better one comes first
				if byX[at] == nil {
					byX[at] = map[string]float64{}
				}
				byX[at][again] = v
			}
		})
		if err != nil {
			return nil, 0, err
		}
	}
	some = min(1, len(byX))
	if x == overEpochs {
		together(byX)
	}
	for _, at := range slices.Sorted(maps.Keys(byX)) {
		out = append(out, meanPoint(at, slices.Sorted(maps.Values(byX[at])))) // sums in one order
	}
	return out, some, nil
}

// together keeps the numbers of one set of repetitions, because a mean over other ones at each epoch is no curve: the set
// with most numbers at the epochs that have all of it, two or more. A single epoch stays.
func together[K comparable](byEpoch map[float64]map[K]float64) {
	var same map[K]float64
	epochs, size := slices.Sorted(maps.Keys(byEpoch)), 0
	lacks := func(at float64, of map[K]float64) bool {
		for k := range of {
			if _, has := byEpoch[at][k]; !has {
				return true
			}
		}
		return false
	}
	for _, e := range epochs {
		n := len(report.Filter(epochs, func(at float64) bool { return !lacks(at, byEpoch[e]) }))
		if of := n * len(byEpoch[e]); min(2, len(epochs)) <= n && of > size {
			same, size = byEpoch[e], of
		}
	}
	maps.DeleteFunc(byEpoch, func(at float64, _ map[K]float64) bool { return same == nil || lacks(at, same) })
	for _, of := range byEpoch {
		maps.DeleteFunc(of, func(k K, _ float64) bool { _, kept := same[k]; return !kept })
	}
}

// values calls see with the run's number and where it stands: at its setting x, or at
// each of its epochs.
func (d *drawing) values(x string, y tables.Number, see func(at, v float64)) error {
	if x != overEpochs {
		at, err := abscissa(d, x)
		if err != nil {
			return err
		}
		v, err := y.Of(d.Result)
		see(at, v)
		return err
	}
	epochs, _ := d.Run.Metrics() // a damaged rest is noted already
	for _, n := range epochs {
		after := *d.Result
		after.Chosen = &n
		v, err := y.Of(&after)
		if err != nil {
			return err
		}
		see(float64(n.Epoch), v)
	}
	return nil
}

// abscissa is the value of a run's setting as a number.
func abscissa(d *drawing, x string) (float64, error) {
	value := d.Config.Setting(x)
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s has %s=%s: the figure needs a setting whose values are numbers", d.Run.Label(), x, value)
	case slices.Contains(amounts, x) && (v == 0 || v < 1):
		if v = float64(d.Config.Data.Train.Reviews + d.Config.Data.Valid.Reviews); x == "data.limit" { // of each class
			v /= float64(max(1, len(d.Config.Classes)))
		}
	}
	return v, nil
}
