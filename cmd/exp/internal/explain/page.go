package explain

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("explain").Funcs(template.FuncMap{"inline": func(f canvas.Figure) (template.HTML, error) {
	svg, err := f.Inline()
	return template.HTML(svg), err
}}).Parse(pageHTML))

// page is the content of the page.
type page struct {
	CSS    template.CSS
	Runs   []pageRun
	Scores []*scores.Score
}

type pageRun struct {
	*Explained
	Facts      string
	Conclusion []string
	Tests      []pageTest
}

type pageTest struct {
	*Test
	Result  *Result
	Figures []canvas.Figure
}

// writeFolder writes the page, the numbers and the figures.
func writeFolder(a *cli.App, groups []group, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%w; --out must name a folder", err)
	}
	p := page{CSS: template.CSS(canvas.CSS()), Scores: scores.All()}
	list := slices.Concat(groups...)
	var shown []*Explained
	for _, g := range groups {
		if len(g) > 1 {
			shown = append(shown, g.whole())
		}
		shown = append(shown, g...)
	}
	var figures []canvas.Figure
	for _, e := range shown {
		r := pageRun{Explained: e, Facts: e.facts(), Conclusion: Conclusion(e.Results)}
		for _, result := range e.Results {
			test := Named(result.Test)
			drawn, err := test.Draw(result, Head{Name: e.ID, About: e.Run + " · " + e.About + " · " + e.drawnFrom()})
			if err != nil {
				return err
			}
			figures = append(figures, drawn...)
			r.Tests = append(r.Tests, pageTest{test, result, drawn})
		}
		p.Runs = append(p.Runs, r)
	}
	var html strings.Builder
	if err := pageTemplate.Execute(&html, p); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"explain.html", cli.BytesTo([]byte(term.Page(html.String())))},
		{"explain.json", func(w io.Writer) error { return writeJSON(w, list) }},
		{"explain.csv", func(w io.Writer) error { return records(list).Write(w, "csv") }},
	} {
		path := filepath.Join(dir, f.name)
		if err := cli.WriteFile(path, f.write); err != nil {
			return err
		}
		fmt.Fprintln(a.IO.Err, "wrote", path)
	}
	for _, f := range figures {
		paths, err := a.Save(f, dir)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.IO.Err, "wrote", strings.Join(paths, ", "))
	}
	return nil
}
