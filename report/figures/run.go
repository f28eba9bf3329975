package report

import "imdbexp/runs"

// runFigures are the figures of one run that RunFigure draws.
var runFigures = map[string]figureKind{"curves": curvesKind, "entropy": entropiesKind}

// RunFigure returns one figure of one run as Figures has it, "curves" or "entropy",
// without a number of the published report, and reads nothing for others. It is
// false for another kind, and when the run has nothing for it, such as entropies of a
// model without attention.
func RunFigure(run *runs.Run, kind string) (Figure, bool) {
	k, ok := runFigures[kind]
	if !ok {
		return Figure{}, false
	}
	return drawings([]*runs.Run{run})[0].figure(k, 0)
}
