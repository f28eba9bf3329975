package figures

import (
	"slices"

	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// OfRun draws one kind of figure of one run, without a number; false when the run has nothing for it.
func OfRun(run *runs.Run, name string) (canvas.Figure, bool) {
	i := slices.IndexFunc(registry, func(k *kind) bool { return k.name == name && k.one != nil })
	return Smoothed(0).drawings([]*runs.Run{run})[0].figure(registry[i], 0)
}
