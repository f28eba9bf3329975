package leaderboard

import (
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
	"imdbexp/runs/published"
)

// Seen is what was learned from.
type Seen struct {
	Labels     int    // reviews with their class, those held out to choose by among them
	Unlabelled int    // texts without it; −1: some, but no folder tells how many
	Outside    string // what is not of the data; "" for nothing
	TestTexts  bool   // the texts of the test reviews
}

// unlabelledIMDB are the reviews of IMDB's train part that have no class.
const unlabelledIMDB = 50_000

// seenBy returns what a run learned from. Vectors of the corpus are trained on the texts of
// all train reviews, those that data.train leaves out too, and of the unlabelled ones.
func seenBy(c *runs.Config) Seen {
	s := Seen{Labels: c.Data.Train.Reviews + c.Data.Valid.Reviews}
	if c.Digests["vectors"] == "" { // the model reads none
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

// String says it in few words: 25 000, 50 000 texts, glove50.
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

// chosenBy returns by what a run's epoch was chosen. Who tried settings and kept the best is
// not in any folder; Looked notes tell where somebody can have done so.
func chosenBy(r *report.Result) string {
	switch g := r.Config.General(); {
	case g.Select != runs.Best && g.Patience == 0:
		return ""
	case g.ChooseOnTest:
		return published.Test
	}
	return published.Validation
}
