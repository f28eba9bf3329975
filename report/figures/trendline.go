package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
)

// overEpochs is the x of a trend over epochs, which is not a setting.
const overEpochs = "epoch"

// nameAmong returns the experiment of a line and, where others are of the same, in what it
// differs from them.
func nameAmong(lines [][]*drawing, i int, told []string) string {
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
	add("(data "+format.Short(d.Config.Digests["data"])+")", func(o *drawing) string { return o.Config.Digests["data"] })
	for _, s := range d.Config.Settings {
		if !slices.Contains(told, s.Key) {
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

// trendOf returns the points of the runs of one group, see onLines.
func trendOf(list []*drawing, x string, y tables.Number) (out []point, err error) {
	type once struct {
		at    float64
		again string // its repetition
	}
	values := map[once]float64{}
	for _, d := range list {
		again := d.settings(func(key string) bool { return slices.Contains(repeats, key) })
		err := d.values(x, y, func(at, v float64) {
			if _, twice := values[once{at, again}]; !twice && math.Abs(v) <= canvas.DrawableMax { // the better one comes first
				values[once{at, again}] = v
			}
		})
		if err != nil {
			return nil, err
		}
	}
	byX := map[float64][]float64{}
	for k, v := range values {
		byX[k.at] = append(byX[k.at], v)
	}
	for at, list := range byX {
		slices.Sort(list) // for sums in one order
		m := stats.Summarise(list)
		out = append(out, point{at, m.Mean, m.Mean - m.SD, m.Mean + m.SD, m.N})
	}
	slices.SortFunc(out, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	return out, nil
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
