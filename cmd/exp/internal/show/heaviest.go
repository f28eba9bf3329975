package show

import (
	"fmt"
	"strconv"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/format"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// heaviest is how many n-grams are shown of each class.
const heaviest = 12

// printHeaviest prints the n-grams with the largest weights for each class, of a run that
// counts n-grams.
func printHeaviest(a *cli.App, run *runs.Run) {
	if !run.Config.Counts() || run.Status.State == runs.Created {
		return
	}
	pool := ops.NewPool(1)
	defer pool.Close()
	m, err := infer.Open(run, pool)
	if err != nil {
		a.Warn(err)
		return
	}
	defer m.Close()
	s := m.Scorer()
	a.Heading(fmt.Sprintf("heaviest of %s n-grams", format.Thousands(s.Features.Len())))
	t := term.NewTable(term.Column{Head: "class"}, term.Column{Head: "n-gram"}, term.Column{Head: "weight", Right: true},
		term.Column{Head: "train reviews", Right: true, Optional: 1})
	for c, class := range m.Classes {
		for _, f := range s.Heaviest(c, heaviest) {
			_, reviews := s.Features.Count(f)
			t.Add(term.Line(class), term.Visible(s.Features.Name(f)), weight(s, f, c), format.Thousands(reviews))
			class = ""
		}
	}
	t.Text(a.IO, "  ")
	against := "the other class"
	if len(m.Classes) > 2 {
		against = "the mean of the other classes"
	}
	times := "where it is there"
	if !s.Binary() {
		times = "times its TF-IDF"
	}
	a.Say(fmt.Sprintf("a weight is what the n-gram adds, %s, to the score of the class against %s", times, against), "  ", "  ")
}

func weight(s *counts.Scorer, feature, class int) string {
	return strconv.FormatFloat(s.Weight(feature, class), 'f', 3, 64)
}
