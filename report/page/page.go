package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"imdbexp/runs"
)

// PageOptions add to a page what run folders do not tell. Everything may be
// missing.
type PageOptions struct {
	Title    string
	Program  string            // name and version of the program that made the page
	Figures  []Figure          // in order
	Drawings map[string]string // of models, by name: <svg> elements, trusted to be well-formed
	Pivot    *Pivot            // shown before the report's own tables

	// Command returns what to type to train these runs, which differ by nothing
	// but the seed, again: one line; "" when there is no such line.
	Command func([]*runs.Config) string
	// Settings returns what to say about the settings of a run that are not at
	// their defaults.
	Settings func(*runs.Config) []Setting
}

// Setting is a setting of a run with what is known about it.
type Setting struct {
	Key, Value, Default string
	From                string // who set it
	Help                string // what it is, and why it is so
}

// Page writes one HTML page that needs nothing else: no script, no network, no
// fonts but the reader's. It holds the tables and their footnotes, the figures and
// drawings, and of every number the settings, data and machines behind it and how
// to repeat it. It is light or dark as the reader has chosen, fits a phone, and
// prints. A figure that cannot be drawn is left out: the page is whole without it,
// and a DrawError tells which.
func (r *Report) Page(w io.Writer, o PageOptions) error {
	p := pageData{Title: o.Title, Empty: r.Empty(), CSS: pageCSS(), Footer: o.Program}
	if p.Title == "" {
		p.Title = "Attention experiments"
	}
	for _, n := range r.leftOut {
		p.LeftOut = append(p.LeftOut, "Left out, "+n.String()+".")
	}
	all := r.Results()
	anchors := map[string]bool{}
	for _, run := range all {
		anchors[short(run.Config.ID)] = true
	}
	p.Summary = summary(all)
	tables := r.view()
	if o.Pivot != nil {
		own := o.Pivot.whole().sections
		for i := range own { // the report has the same sets of reviews below
			own[i].title = o.Pivot.caption() + ". " + own[i].title
		}
		tables.sections = append(own, tables.sections...)
	}
	p.Sections = tables.htmlSections(func(id string) bool { return anchors[id] })
	drawn, drawErr := drawnFigures(o.Figures)
	p.Figures = drawn
	for _, name := range slices.SortedFunc(maps.Keys(o.Drawings), figuresFirst) {
		p.Drawings = append(p.Drawings, pageFigure{Title: name, SVG: template.HTML(o.Drawings[name])})
	}
	p.Rows, p.Trials = r.pageRows(o)
	for _, row := range p.Rows {
		if row.Command != "" && !slices.Contains(p.Commands, row.Command) {
			p.Commands = append(p.Commands, row.Command)
		}
	}
	var out strings.Builder
	if err := pageTemplates.ExecuteTemplate(&out, "page", p); err != nil {
		return err
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return err
	}
	return drawErr
}

// figuresFirst orders titles, those of the published report's figures first.
func figuresFirst(a, b string) int {
	figure := func(s string) bool { return strings.HasPrefix(s, "Figure ") }
	return cmp.Or(-compareBool(figure(a), figure(b)), cmp.Compare(a, b))
}

// The data of the page's template.
type (
	pageData struct {
		Title, Summary, Empty, Footer string
		CSS                           template.CSS
		Sections                      []htmlSection
		Figures                       []pageFigures
		Drawings                      []pageFigure
		LeftOut, Commands             []string
		Rows, Trials                  []pageRow // trials are shown only when asked for
	}
	pageFigures struct {
		ID, Title string
		Closed    bool // shown only when asked for
		Figures   []pageFigure
	}
	pageFigure struct {
		Title, Caption string
		SVG            template.HTML // of our own making
	}
)

func pageCSS() template.CSS {
	own, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		panic(err) // it is part of the program
	}
	return template.CSS(FigureCSS() + string(own))
}

// summary says in a sentence what the page is made of.
func summary(all []*Result) string {
	experiments, finished := map[string]bool{}, 0
	for _, r := range all {
		experiments[r.Config.Name] = true
		if r.Finished {
			finished++
		}
	}
	text := fmt.Sprintf("%s of %s", counted(len(all), "run"), counted(len(experiments), "experiment"))
	if finished < len(all) {
		text += fmt.Sprintf(", %d of them finished", finished)
	}
	return text + "."
}
