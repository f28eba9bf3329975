package search

import (
	"errors"
	"fmt"
	"strings"

	"imdbexp/experiments/search"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// shownTrials is the number of trials that are shown at the end of a search.
const shownTrials = 10

// table shows the best trials.
func (s *searching) table(list []search.Standing) error {
	columns := []term.Column{{Head: "rank", Right: true}, {Head: "trial", Right: true, Optional: 3}, {Head: "epochs", Right: true, Optional: 2},
		{Head: "valid %", Right: true}, {Head: "loss", Right: true, Optional: 4}, {Head: "at", Right: true, Optional: 5}}
	for _, r := range s.search.Ranges {
		columns = append(columns, term.Column{Head: r.Key, Right: true})
	}
	t := term.NewTable(append(columns, term.Column{Head: "run"})...)
	for i, st := range list[:min(shownTrials, len(list))] {
		t.Add(row(i, st)...)
	}
	return t.Text(s.IO, "")
}

func row(i int, st search.Standing) []string {
	row := []string{fmt.Sprint(i + 1), fmt.Sprint(st.Trial.N), fmt.Sprint(st.Epochs)}
	run := ""
	if st.Err != nil {
		row = append(row, "–", "–", "–")
		run = "failed: " + st.Err.Error()
		if d, ok := errors.AsType[*training.DivergedError](st.Err); ok {
			run = d.Message
		}
	} else {
		row = append(row, format.Optional(st.Chosen.ValidAcc, 2), format.Optional(st.Chosen.ValidLoss, 4), fmt.Sprint(st.Chosen.Epoch))
		run = st.Run.Label()
	}
	for _, a := range st.Trial.Assignments {
		_, value, _ := strings.Cut(a, "=")
		row = append(row, value)
	}
	return append(row, run)
}
