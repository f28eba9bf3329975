package page

import (
	"imdbexp/experiments"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Figure is a figure of exp report.
type Figure struct {
	Title   string `json:"title"`
	Caption string `json:"caption"`
	SVG     string `json:"svg"`
}

// Searches returns a figure for the trials of each search among the entries: what mattered?
func Searches(list []*Entry) ([]Figure, error) {
	out := []Figure{}
	var trials []*runs.Run
	for _, e := range list {
		if len(e.Runs) == 1 && e.Runs[0].Config.Untested() {
			trials = append(trials, e.Runs[0])
		}
	}
	for _, f := range figures.Searches(trials, experiments.InOrder()...) {
		svg, err := f.Inline()
		if err != nil {
			return nil, err
		}
		out = append(out, Figure{f.Title, f.Caption, svg})
	}
	return out, nil
}
