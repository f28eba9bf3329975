package figures

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/report/stats"
)

// score is the test score of the run in percent, or -1 if it was not evaluated on the
// test set.
func (d *drawing) score() float64 {
	if math.IsNaN(d.Score) {
		return -1
	}
	return d.Score
}

func medianScore(seeds []*drawing) float64 {
	var all []float64
	for _, d := range seeds {
		all = append(all, d.score())
	}
	return stats.Median(all)
}

// seed tells which seed the run is, and of how many.
func (d *drawing) seed() string {
	if len(d.seeds) < 2 {
		return fmt.Sprintf("seed %d", d.Config.Seed())
	}
	return fmt.Sprintf("seed %d, one of %d", d.Config.Seed(), len(d.seeds))
}

// ofSeeds tells the same behind the name of a run; "" where it is the only one.
func (d *drawing) ofSeeds() string {
	if len(d.seeds) < 2 {
		return ""
	}
	return ", " + d.seed()
}

// nearMedian explains it in captions; "" where no run is one of several seeds.
func nearMedian(shown []*drawing) string {
	if slices.ContainsFunc(shown, func(d *drawing) bool { return len(d.seeds) > 1 }) {
		return " · of several seeds, the one with the score on test nearest their median"
	}
	return ""
}
