package figures

import (
	"cmp"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
)

var _ = register(kind{name: "translation", many: translations})

// translations returns, for each set of sentence pairs, a figure of exact match by
// the length of the source: of each experiment the run that stands best for it.
func translations(all []*drawing) (out []canvas.Figure) {
	for _, g := range byReviews(all) {
		var shown []*drawing
		for _, d := range inTableOrder(g.list) {
			twice := slices.ContainsFunc(shown, func(o *drawing) bool { return o.Config.Name == d.Config.Name })
			if d.Translated != nil && !twice && len(shown) < len(canvas.Series) {
				shown = append(shown, d)
			}
		}
		if len(shown) > 0 {
			out = append(out, translationFigure(g, shown))
		}
	}
	return out
}

func translationFigure(g sameReviews, shown []*drawing) canvas.Figure {
	f := canvas.Figure{Name: "translation-" + g.name, Title: "Exact match by length of the sentence", Size: canvas.Tall}
	lines := lengthLines(&f, g, shown, func(d *drawing) []report.LengthBin { return d.Translated.Lengths }, func(bins []report.LengthBin) string {
		return "greedily decoded test pairs in bins of " + sizes(bins) + " by words of the source"
	}, true)
	f.Panels = canvas.Panels([]linePanel{{lines: lines, x: "words of the source", y: "exact match (%)", scale: accuracyScale(0), margin: true}})
	return f
}

// sizes tells how many sentences the smallest and the largest bin hold. They differ because
// sentences of one length stay together and there are few lengths.
func sizes(bins []report.LengthBin) string {
	fewer := func(a, b report.LengthBin) int { return cmp.Compare(a.Reviews, b.Reviews) }
	least, most := slices.MinFunc(bins, fewer).Reviews, slices.MaxFunc(bins, fewer).Reviews
	if least == most {
		return format.Thousands(least)
	}
	return format.Thousands(least) + " to " + format.Thousands(most)
}
