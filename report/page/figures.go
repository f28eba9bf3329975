package page

import (
	"errors"
	"fmt"
	"html/template"
	"slices"

	"imdbexp/report/canvas"
	"imdbexp/report/internal/format"
)

// manyFigures is how many may stand open under one heading; more are folded away.
const manyFigures = 40

// drawnFigures draws the figures for a page, those of several runs first, then
// those of the published report, then those of other runs. A canvas.Error joins what
// is wrong with those that cannot be drawn.
func drawnFigures(list []canvas.Figure) ([]pageFigures, error) {
	parts := []pageFigures{
		{ID: "comparisons", Title: "Comparisons"},
		{ID: "published-figures", Title: "The figures of the published report"},
		{ID: "figures", Title: "Figures of other runs"},
	}
	var errs []error
	for _, f := range list {
		svg, err := f.Inline()
		if err != nil {
			errs = append(errs, fmt.Errorf("figure %s: %w", f.Name, err))
			continue
		}
		part := &parts[0]
		switch {
		case f.Number > 0:
			part = &parts[1]
		case f.Single:
			part = &parts[2]
		}
		part.Figures = append(part.Figures, pageFigure{Title: f.Title, Caption: format.Unbroken(f.Caption), SVG: template.HTML(svg)})
	}
	parts = slices.DeleteFunc(parts, func(p pageFigures) bool { return len(p.Figures) == 0 })
	for i := range parts {
		parts[i].Closed = len(parts[i].Figures) > manyFigures
	}
	if len(errs) > 0 {
		return parts, &canvas.Error{Err: errors.Join(errs...)}
	}
	return parts, nil
}
