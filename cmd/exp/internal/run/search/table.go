package search

import (
	"errors"
	"fmt"
	"strings"

	"imdbexp/experiments/search"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// shownTrials is the number of trials that are shown at the end of a search.
const shownTrials = 10

// table shows the best trials.
func (s *searching) table(list []search.Standing) {
	head, score := "valid %", func(m *runs.Metrics) *float64 { return m.ValidAcc }
	if by := scoredBy(list); by.Key == "valid_macro_f1" {
		head, score = "valid F1", by.Of
	}
	columns := []term.Column{{Head: "rank", Right: true}, {Head: "trial", Right: true, Optional: 3}, {Head: "epochs", Right: true, Optional: 2},
		{Head: head, Right: true}, {Head: "loss", Right: true, Optional: 4}, {Head: "at", Right: true, Optional: 5}}
	for _, r := range s.search.Ranges {
		columns = append(columns, term.Column{Head: r.Key, Right: true})
	}
	t := term.NewTable(append(columns, term.Column{Head: "run"})...)
	for i, st := range list[:min(shownTrials, len(list))] {
		t.Add(row(i, st, score)...)
	}
	t.Text(s.IO, "")
}

// scoredBy returns the metric by which the trials are ranked.
func scoredBy(list []search.Standing) runs.Metric {
	for _, st := range list {
		if st.Run != nil {
			return st.Run.Config.ScoredBy(&st.Chosen)
		}
	}
	return runs.Metric{}
}

func row(i int, st search.Standing, score func(*runs.Metrics) *float64) []string {
	row := []string{fmt.Sprint(i + 1), fmt.Sprint(st.Trial.N), fmt.Sprint(st.Epochs)}
	run := ""
	if st.Err != nil {
		row = append(row, "–", "–", "–")
		run = "failed: " + st.Err.Error()
		if d, ok := errors.AsType[*training.DivergedError](st.Err); ok {
			run = d.Message
		}
	} else {
		row = append(row, format.Optional(score(&st.Chosen), 2), format.Optional(st.Chosen.ValidLoss, 4), fmt.Sprint(st.Chosen.Epoch))
		run = st.Run.Label()
	}
	for _, a := range st.Trial.Assignments {
		_, value, _ := strings.Cut(a, "=")
		row = append(row, value)
	}
	return append(row, run)
}
