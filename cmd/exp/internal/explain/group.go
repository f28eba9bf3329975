package explain

import (
	"fmt"
	"math"
	"strings"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/report/stats"
)

// group holds the runs of one setting, one for each seed.
type group []*Explained

// whole returns the means over the seeds, or the results of a single seed.
func (g group) whole() *Explained {
	first := g[0]
	if len(g) == 1 {
		return first
	}
	name, _, _ := strings.Cut(first.Run, "/")
	out := *first
	out.Run, out.seeds = fmt.Sprintf("%s, %d seeds", name, len(g)), len(g)
	out.ID = fmt.Sprintf("%s-%d-seeds", first.ID, len(g)) // files are named by it
	out.About, _, _ = strings.Cut(first.About, ", seed=")
	if strings.HasPrefix(out.About, "seed=") {
		out.About = "default settings"
	}
	out.Results = nil
	for i := range first.Results {
		out.Results = append(out.Results, g.mean(i))
	}
	return &out
}

// mean returns the mean of result i over the runs, for each value that all of them have,
// with intervals over seeds and reviews.
func (g group) mean(i int) *battery.Result {
	first := g[0].Results[i]
	out := &battery.Result{Test: first.Test, Lacks: first.Lacks, Reviews: first.Reviews}
	type key struct{ statistic, of, part string }
	values, own := map[key][]float64{}, map[key][]stats.Interval{}
	for _, e := range g {
		for _, v := range e.Results[i].Values {
			k := key{v.Statistic, v.Of, v.Part}
			values[k] = append(values[k], float64(v.Value))
			own[k] = append(own[k], stats.Interval{Low: float64(v.Low), High: float64(v.High)})
		}
	}
	for _, v := range first.Values {
		k := key{v.Statistic, v.Of, v.Part}
		if len(values[k]) != len(g) {
			continue
		}
		mean, interval, err := stats.OverSeeds(values[k], own[k], battery.Range(first.Test, v.Statistic))
		if err != nil {
			interval = stats.Interval{Low: math.NaN(), High: math.NaN()}
		}
		v.Value, v.Low, v.High = battery.Number(mean), battery.Number(interval.Low), battery.Number(interval.High)
		out.Values = append(out.Values, v)
	}
	return out
}
