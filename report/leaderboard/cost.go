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

// Weights counts the learned parameters, without word vectors from elsewhere.
type Weights struct {
	Dense   int // of the model and its word vectors
	Vectors int // of word vectors trained with the model, or before it on the texts
	Sparse  int // of n-grams: one for each, or one for each class
}

// vectorsWeight names trained word vectors in a checkpoint (models.VectorsWeight).
const vectorsWeight = "vectors"

// weights counts the weights in the checkpoint of a finished run, and in its table of vectors if
// these were trained on its corpus.
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
		case r.Config.HasNgramRows(p):
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

// cost returns the seconds of the training passes and of whole runs, means over the runs, and the
// machines. Files that cannot be read are skipped.
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
