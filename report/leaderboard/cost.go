package leaderboard

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Weights are how many numbers were learned. A table of vectors that came from outside is
// not among them: nothing was learned about it.
type Weights struct {
	Dense   int // of the model and of its vectors
	Vectors int // of these those of word vectors: moved with the model, or trained on the texts before
	Sparse  int // of n-grams, which have one each, or one for each class
}

// vectorsWeight is what a run that moves its word vectors calls them (models.VectorsWeight).
const vectorsWeight = "vectors"

// weights counts those of a finished run by its checkpoint, and by the table of vectors that
// it kept where these were trained on its corpus.
func weights(r *report.Result) (w Weights, err error) {
	c, err := r.Run.Checkpoint(r.Run.ChosenCheckpoint())
	if err != nil {
		return w, err
	}
	for _, p := range r.Config.Learned(c) {
		n := 1
		for _, d := range p.Shape {
			n *= d
		}
		switch {
		case p.Name == vectorsWeight:
			w.Vectors, w.Dense = n, w.Dense+n
		case r.Config.OfNgrams(p):
			w.Sparse += n
		default:
			w.Dense += n
		}
	}
	if g := r.Config.General(); g.Vectors.Vectors == "corpus" && r.Config.Table != "" && w.Vectors == 0 {
		t, err := r.Run.Table()
		if err != nil {
			return w, err
		}
		w.Vectors, w.Dense = len(t.Rows), w.Dense+len(t.Rows)
	}
	return w, nil
}

var unknown = math.NaN()

// cost returns the seconds that the training passes of a run took, and those that it took in
// all, means over the runs, and on which machines; what cannot be read is left out.
func cost(list []*report.Result) (seconds, all float64, machine string) {
	each, whole, machines := make([]float64, len(list)), make([]float64, len(list)), []string{}
	for i, r := range list {
		each[i] = unknown
		if times, err := r.Run.Timing(); err == nil && len(times) > 0 {
			each[i] = 0
			for _, t := range times {
				each[i] += t.Seconds
			}
		}
		sessions, _ := r.Run.Environments()
		whole[i] = runs.Seconds(sessions)
		for _, e := range sessions {
			if m := fmt.Sprintf("%s, %d×%s", e.CPU, e.Workers, e.SIMD); e.CPU != "" && !slices.Contains(machines, m) {
				machines = append(machines, m)
			}
		}
	}
	return stats.Summarise(each).Mean, stats.Summarise(whole).Mean, strings.Join(machines, "; ")
}
