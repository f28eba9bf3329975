package leaderboard

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/runs"
	"imdbexp/runs/published"
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
		if seconds, ok := r.Run.Trained(); ok {
			each[i] = seconds
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

// Seen is the data that a result was learned from.
type Seen struct {
	Labels     int    // labelled reviews, including validation reviews
	Unlabelled int    // texts without labels; −1: an unknown number
	Outside    string // outside data; "" for none
	TestTexts  bool   // the texts of the test reviews
}

// unlabelledIMDB is the number of unlabelled training reviews of IMDB.
const unlabelledIMDB = 50_000

// seenBy returns the data that a run learned from. Vectors of the corpus are trained on the texts
// of all training reviews, including those omitted by data.train, and of the unlabelled ones.
func seenBy(c *runs.Config) Seen {
	s := Seen{Labels: c.Data.Train.Reviews + c.Data.Valid.Reviews}
	if c.Digests["vectors"] == "" { // the model uses none
		return s
	}
	switch v := c.General().Vectors.Vectors; {
	case v == "random":
	case v == "corpus" && report.TestsIMDB(c):
		s.Unlabelled = unlabelledIMDB + report.IMDBTrain - s.Labels
	case v == "corpus":
		s.Unlabelled = -1
	default:
		s.Outside = v
	}
	return s
}

// String formats the data as in "25 000, 50 000 texts, glove50".
func (s Seen) String() string {
	out := []string{format.Thousands(s.Labels)}
	switch {
	case s.Unlabelled > 0:
		out = append(out, format.Thousands(s.Unlabelled)+" texts")
	case s.Unlabelled < 0:
		out = append(out, "its texts")
	}
	if s.TestTexts {
		out = append(out, "test texts")
	}
	if s.Outside != "" {
		out = append(out, s.Outside)
	}
	return strings.Join(out, ", ")
}

// chosenBy returns the data on which a run's epoch was chosen. Whether the best of several settings
// was kept is in no folder; notes of kind report.Looked say where that is possible.
func chosenBy(r *report.Result) string {
	switch g := r.Config.General(); {
	case g.Select != runs.Best && g.Patience == 0:
		return ""
	case g.ChooseOnTest:
		return published.Test
	}
	return published.Validation
}
