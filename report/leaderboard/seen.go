package leaderboard

import (
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
	"imdbexp/runs/published"
)

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
