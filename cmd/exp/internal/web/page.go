package web

import (
	"embed"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/term"
)

//go:embed page.html
var pageText embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.Must(template.ParseFS(pageText, "page.html")).ParseFS(ask.Assets, "assets/train.html"))
})

// pageData is what the page shows before any script runs.
type pageData struct {
	Columns []headCell
	Rows    []tableRow
	Total   int
	Count   string // of the rows that are shown, of how many
	Before  string // link to the rows before these; "" for none
	After   string
	Note    string
	View    view
	Filter  string
	Sort    string
	Figures []pageFigure
	Compare beside.Comparison
	Limits  struct{ Chosen, Text, Beside int }
}

// headCell heads a column; its link sorts by it, or the other way round.
type headCell struct {
	Column
	Href string
	Aria string // ascending, descending or ""
}

type tableRow struct {
	Row
	Chosen bool
}

// Cell returns the text of a column.
func (r tableRow) Cell(i int) string { return r.Cells[i].Text }

// pageFigure is a static figure for readers without JavaScript.
type pageFigure struct{ Src, Alt string }

// page sends the page with the table, and the comparison of the chosen runs; the
// scripts take it from there.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	now := s.catalog.fresh()
	v := parseView(r.URL.Query())
	if !r.URL.Query().Has("run") { // nothing chosen, not even none: the newest run in the table that has something to show
		if i := slices.IndexFunc(now.entries, func(e *entry) bool { return v.passes(e.row) && e.done() > 0 }); i >= 0 {
			v.chosen = []string{now.entries[i].key}
		}
	}
	d := pageData{Columns: heads(v), Total: len(now.entries), Note: now.note, View: v, Filter: v.filter, Sort: v.query().Get("sort")}
	d.Limits.Chosen, d.Limits.Text, d.Limits.Beside = maxChosen, maxText, maxModels
	p := v.window(now)
	for _, e := range p.entries {
		d.Rows = append(d.Rows, tableRow{e.row, slices.Contains(v.chosen, e.key)})
	}
	d.Count, d.Before, d.After = p.count(), v.turned(p, -1), v.turned(p, +1)
	chosen := v.entries(now)
	d.Compare = s.compare(chosen)
	for _, e := range chosen {
		if e.run == nil || e.done() == 0 {
			continue
		}
		add := func(kind, alt string) {
			src := url.URL{Path: "/figure.svg", RawQuery: url.Values{"run": {e.key}, "kind": {kind}}.Encode()}
			d.Figures = append(d.Figures, pageFigure{src.String(), alt + " of " + beside.Name(&e.run.Config)})
		}
		add("curves", "Loss and accuracy")
		if e.chosen().TestEntropy != nil {
			add("entropy", "Entropy of the attention")
		}
	}
	var b strings.Builder
	if err := pageTemplate().Execute(&b, d); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, term.Page(b.String()))
	return nil
}

// heads returns the columns with the links that sort by them.
func heads(v view) []headCell {
	var out []headCell
	for _, c := range columns {
		h := headCell{Column: c}
		next := v
		next.page = 1
		next.sort, next.down = c.Key, c.Number // numbers: the largest first
		if v.sort == c.Key {
			next.down = !v.down
			h.Aria = map[bool]string{false: "ascending", true: "descending"}[v.down]
		}
		h.Href = "/?" + next.query().Encode()
		out = append(out, h)
	}
	return out
}
