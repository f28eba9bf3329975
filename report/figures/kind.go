package figures

import (
	"cmp"
	"slices"

	"imdbexp/report/canvas"
)

// kind is a kind of figure. Each registers itself in its own file, with its drawing and
// its caption and with its numbers in the published report; all else follows from here.
type kind struct {
	name      string  // begins the names of its files; kinds are in their order
	shows     string  // for titles
	published []Entry // the published report's figures of this kind

	// One of these draws it; neither, where commands show it.
	one  func(*drawing, *canvas.Figure) bool // of one setting; false when its runs have nothing for it
	many func([]*drawing) []canvas.Figure    // of all runs, those first that stand best for their setting

	seeds bool // one draws all seeds of the setting, not the one nearest their median
	first bool // many stands before the figures of single settings, not behind them
}

var registry []*kind

// register adds a kind; it is called in the initialisation of a kind's file.
func register(k kind) struct{} {
	i, _ := slices.BinarySearchFunc(registry, k.name, func(k *kind, name string) int { return cmp.Compare(k.name, name) })
	registry = slices.Insert(registry, i, &k)
	return struct{}{}
}

// across draws the kinds that show several settings, those first or those last.
func across(all []*drawing, first bool) (out []canvas.Figure) {
	for _, k := range registry {
		if k.many != nil && k.first == first {
			out = append(out, k.many(all)...)
		}
	}
	return out
}
