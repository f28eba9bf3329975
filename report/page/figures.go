package page

import (
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/canvas"
)

// manyFigures is the number of figures above which a heading is collapsed.
const manyFigures = 40

// drawnFigures draws the figures of a page: first those of several runs, then those of the published
// report, then the same figures on other data, then figures of single runs. A canvas.Error joins the
// errors of the figures that cannot be drawn.
func drawnFigures(list []canvas.Figure) ([]pageFigures, error) {
	parts := []pageFigures{
		{ID: "comparisons", Title: "Comparisons"},
		{ID: "published-figures", Title: "The figures of the published report"},
		{ID: "published-figures-on-other-data"},
		{ID: "figures", Title: "Figures of other runs"},
	}
	var errs []error
	var others []string
	for _, f := range list {
		shown, err := inlined(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		part := &parts[0]
		switch {
		case f.Other != "":
			part = &parts[2]
			if !slices.Contains(others, f.Other) {
				others = append(others, f.Other)
			}
		case f.Number > 0:
			part = &parts[1]
		case f.Single:
			part = &parts[3]
		}
		part.Figures = append(part.Figures, shown)
	}
	parts[2].Title = "The figures of the published report, drawn on other data: " + strings.Join(others, ", ")
	parts = slices.DeleteFunc(parts, func(p pageFigures) bool { return len(p.Figures) == 0 })
	for i := range parts {
		parts[i].Closed = len(parts[i].Figures) > manyFigures
	}
	if len(errs) > 0 {
		return parts, &canvas.Error{Err: errors.Join(errs...)}
	}
	return parts, nil
}

// inlined draws a figure for the page.
func inlined(f canvas.Figure) (pageFigure, error) {
	svg, err := f.Inline()
	if err != nil {
		err = fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return pageFigure{Title: f.Title, Caption: format.Unbroken(f.Caption), SVG: template.HTML(svg), compares: strings.HasPrefix(f.Name, "comparison-")}, err
}

// opening removes the comparison of the models on these reviews from the figures, because it comes
// first on the page. It returns nil if no figure is.
func opening(parts []pageFigures, reviews string) (*pageFigure, []pageFigures) {
	for i := range parts {
		p := &parts[i]
		at := slices.IndexFunc(p.Figures, func(f pageFigure) bool {
			return p.ID == "comparisons" && f.compares && strings.HasPrefix(f.Caption, format.Unbroken(reviews))
		})
		if at < 0 {
			continue
		}
		first := p.Figures[at]
		p.Figures = slices.Delete(p.Figures, at, at+1)
		return &first, slices.DeleteFunc(parts, func(p pageFigures) bool { return len(p.Figures) == 0 })
	}
	return nil, parts
}
