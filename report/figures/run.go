package figures

import (
	"imdbexp/report/picture"
	"imdbexp/runs"
)

// runFigures are the figures of one run that OfRun draws.
var runFigures = map[string]kind{"curves": curvesKind, "entropy": entropiesKind}

// OfRun returns one figure of one run as Figures has it, "curves" or "entropy",
// without a number of the published report, and reads nothing for others. It is
// false for another kind, and when the run has nothing for it, such as entropies of a
// model without attention.
func OfRun(run *runs.Run, kind string) (picture.Figure, bool) {
	k, ok := runFigures[kind]
	if !ok {
		return picture.Figure{}, false
	}
	return drawings([]*runs.Run{run})[0].figure(k, 0)
}
