// Package page writes report.html: tables, figures and drawings, and for every number the settings,
// data and machines behind it.
package page

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
	"imdbexp/report/internal/render"
	"imdbexp/report/leaderboard"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Options are the parts of a page that do not come from run folders. All are optional.
type Options struct {
	Program  string             // name and version of the program that made the page
	Figures  []canvas.Figure    // in order
	Drawings map[string]Drawing // of models, by name
	Pivot    *tables.Pivot      // shown before the report's own tables
	Board    *leaderboard.Board // likewise
	Against  []compare.Table    // shown behind them
	Probes   []*compare.ProbeTable
	Notes    *Notes // the page begins with them

	// Command returns the command that trains these runs again, which differ only in the seed;
	// "" without one.
	Command func([]*runs.Config) string
	// Settings describes the settings that a run's experiment and command set.
	Settings func(*runs.Config) []Setting
}

// Drawing is the picture of a model.
type Drawing struct {
	SVG   string // an <svg> element, trusted to be well-formed
	Watch string // what to look for in its runs
}

// Setting is a setting of a run with its default, source and meaning.
type Setting struct {
	Key, Value, Default string
	From                string // who set it
	Help                string // its meaning, and the reason for its value
}

// Tables returns the tables of the page one by one.
func Tables(r *tables.Report, o Options) []render.Part { return view(r, o).Parts() }

// view returns all tables of the page.
func view(r *tables.Report, o Options) render.View {
	shown := r.View
	if o.Pivot != nil {
		shown.Sections = slices.Concat(titled(o.Pivot.Caption(), o.Pivot.View), shown.Sections)
	}
	if o.Board != nil {
		shown.Sections = slices.Concat(titled("Leaderboard", o.Board.View), shown.Sections)
	}
	for _, table := range o.Against {
		shown.Sections = append(shown.Sections, table.View().Sections...)
	}
	for _, table := range o.Probes {
		shown.Sections = append(shown.Sections, table.Sections...)
	}
	return shown
}

// Write writes one HTML page without scripts, network access or fonts of its own, in a light and a dark theme, for
// screens, phones and paper. A figure that cannot be drawn is omitted; the error is then a canvas.Error.
func Write(w io.Writer, r *tables.Report, o Options) error {
	p := pageData{Title: "Attention experiments", Empty: r.Empty(), CSS: template.CSS(canvas.CSS() + pageStyle), Footer: o.Program}
	p.LeftOut = report.Map(r.LeftOut, func(n report.Note) string { return "Left out, " + n.String() + "." })
	all := r.Results()
	p.Summary = summary(all)
	if len(r.Blocks) > 0 {
		p.Headline = format.Unbroken(headline(&r.Blocks[0]))
	}
	shown := view(r, o)
	ids := report.Map(all, func(r *report.Result) string { return format.Short(r.Config.ID) })
	linked := func(id string) bool { return slices.Contains(ids, id) }
	p.Sections = shown.HTMLSections(linked)
	list := o.Figures
	if o.Notes != nil {
		var err error
		n := notes{Notes: *o.Notes, figures: list, tables: shown.Parts(), linked: linked}
		if p.Notes, list, err = n.write(); err != nil {
			return err
		}
		p.Title, p.Subtitle, p.Byline = cmp.Or(n.head.Title, p.Title), n.head.Subtitle, n.head.byline()
	}
	drawn, drawErr := drawnFigures(list)
	p.Figures = drawn
	if len(drawn) > 0 && strings.HasPrefix(drawn[0].Figures[0].name, "comparison-") { // it comes first on the page
		p.Opening = &drawn[0].Figures[0]
		drawn[0].Figures = drawn[0].Figures[1:]
		p.Figures = slices.DeleteFunc(drawn, func(p pageFigures) bool { return len(p.Figures) == 0 })
	}
	for _, name := range slices.SortedFunc(maps.Keys(o.Drawings), figuresFirst) {
		p.Drawings = append(p.Drawings, pageFigure{Title: name, Caption: o.Drawings[name].Watch, SVG: template.HTML(o.Drawings[name].SVG)})
	}
	p.Rows, p.Trials = pageRows(r, o)
	var out strings.Builder
	if err := templates().ExecuteTemplate(&out, "page", p); err != nil {
		return err
	}
	_, err := io.WriteString(w, term.Page(out.String()))
	return cmp.Or(err, drawErr)
}

// titled adds a prefix to the titles of sections, because the report has others on the same reviews.
func titled(what string, v render.View) []render.Section {
	sections := slices.Clone(v.Sections)
	for i := range sections {
		sections[i].Title = what + ". " + sections[i].Title
	}
	return sections
}

// figuresFirst orders titles: the published report's figures come first.
func figuresFirst(a, b string) int {
	first := map[bool]int{true: -1}
	return cmp.Or(first[strings.HasPrefix(a, "Figure ")]-first[strings.HasPrefix(b, "Figure ")], cmp.Compare(a, b))
}

//go:embed page.css
var pageStyle string

//go:embed page.tmpl row.tmpl glossary.tmpl
var templateFiles embed.FS

// The templates escape what they insert. They are parsed when the first page is written.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(templateFiles, "page.tmpl", "row.tmpl", "glossary.tmpl"))
})

// The data of the page's template.
type (
	pageData struct {
		Title, Summary, Empty string
		Subtitle, Byline      string // of the notes; may be empty
		Footer                string
		Notes                 template.HTML // of the user; may be empty
		Headline              string        // the result on the first data set; may be empty
		Opening               *pageFigure   // follows it; may be nil
		CSS                   template.CSS
		Sections              []render.HTMLSection
		Figures               []pageFigures
		Drawings              []pageFigure
		LeftOut               []string
		Rows, Trials          []pageRow // trials are shown only when asked for
	}
	pageFigures struct {
		ID, Title string
		Closed    bool // shown only when asked for
		Figures   []pageFigure
	}
	pageFigure struct {
		Title, Caption string
		Runs           []string      // shown only when asked for
		Label          string        // the element's ID; "" for none
		SVG            template.HTML // of our own making
		name           string
	}
)

// summary describes the page in a sentence.
func summary(all []*report.Result) string {
	experiments := report.GroupBy(all, func(r *report.Result) string { return r.Config.Name })
	text := fmt.Sprintf("%s of %s", format.Counted(len(all), "run"), format.Counted(len(experiments), "experiment"))
	if finished := len(report.Filter(all, func(r *report.Result) bool { return r.Finished })); finished < len(all) {
		text += fmt.Sprintf(", %d of them finished", finished)
	}
	return text + "."
}

// headline names the most accurate setting of a block, "" without one. A variant that chooses its epoch on the test set,
// and runs that predict one class, are not in the choice.
func headline(b *tables.Block) string {
	useless := func(n report.Note) bool {
		return n.OfProgress() || n.Kind == report.Unlearned || n.Kind == report.OneClass
	}
	var best *tables.Cell
	var name string
	settings := 0
	for label, c := range b.All() {
		v := c.Variant
		if c.Runs[0].Trial() || v == "original" || c.Score().N == 0 || slices.ContainsFunc(c.Notes, useless) {
			continue
		}
		settings++
		if best == nil || c.Score().Mean > best.Score().Mean {
			best, name = c, strings.TrimSuffix(label+" "+v, " default")
		}
	}
	if best == nil {
		return ""
	}
	score, mean := "test accuracy", format.Fixed(best.Score().Mean, 2)+" %"
	if len(b.Task().Decoded) > 0 {
		score, mean = "exact match on test", strings.TrimSuffix(mean, " %")
	}
	text := fmt.Sprintf("%s: %s has the highest %s of %s, %s", b.Title, name, score, format.Counted(settings, "setting"), mean)
	if settings == 1 {
		text = fmt.Sprintf("%s: the %s of %s is %s", b.Title, score, name, mean)
	}
	if i := render.Between(best.Interval()); i != format.None {
		text += fmt.Sprintf(" (95 %% interval %s)", i)
	}
	return text + "."
}

// drawnFigures draws figures of several runs, then those of the published report on its data, then those of single runs.
// A canvas.Error joins the errors of those that cannot be drawn.
func drawnFigures(list []canvas.Figure) (parts []pageFigures, err error) {
	parts = []pageFigures{
		{ID: "comparisons", Title: "Comparisons"},
		{ID: "published-figures", Title: "The figures of the published report"},
		{ID: "figures", Title: "Figures of other runs"},
	}
	var errs []error
	for _, f := range list {
		shown, err := inlined(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		part := &parts[0]
		switch {
		case f.Number > 0 && f.Other == "":
			part = &parts[1]
		case f.Single:
			part = &parts[2]
		}
		part.Figures = append(part.Figures, shown)
		part.Closed = len(part.Figures) > 40
	}
	if len(parts[1].Figures) == 0 {
		parts[2].Title = "Figures of single settings"
	}
	if len(errs) > 0 {
		err = &canvas.Error{Err: errors.Join(errs...)}
	}
	return slices.DeleteFunc(parts, func(p pageFigures) bool { return len(p.Figures) == 0 }), err
}

// inlined draws a figure for the page.
func inlined(f canvas.Figure) (pageFigure, error) {
	svg, err := f.Inline()
	if err != nil {
		err = fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return pageFigure{Title: canvas.WithoutIDs(f.Title), Caption: format.Unbroken(canvas.WithoutIDs(f.Caption)), Runs: f.Runs, SVG: template.HTML(svg), name: f.Name}, err
}
