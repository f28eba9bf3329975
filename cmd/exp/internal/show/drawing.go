package show

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/internal/diagram"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/report/figures"
	"imdbexp/report/page"
	"imdbexp/runs"
)

// printModel prints a model as its formulas, its drawing and what to look for, of which an
// experiment, or "", has more to say.
func printModel(io *term.IO, info models.Info, m models.Model, experiment string) {
	title := "model " + info.Name
	if info.Title != "" {
		title += ": " + info.Title
	}
	io.Printf("\n%s\n", io.Wrap(io.Paint(term.Bold, title), "", "  "))
	for _, l := range info.Equations(m) {
		io.Say(l, "  ", "      ")
	}
	if info.Source != "" {
		io.Say("source: "+info.Source, "  ", "    ")
	}
	if n := info.Drawing(m); n != nil {
		draw(io, "drawing", diagram.Text(n))
	}
	if watch := strings.TrimSpace(info.Watch(m) + " " + experiments.Watch(experiment)); watch != "" {
		io.Heading("what to look for")
		io.Say(watch, "  ", "  ")
	}
	if penalised(m) {
		draw(io, "drawing of the attention wanted", wantedText)
	}
}

// draw prints a drawing, or says how wide it is if the terminal is narrower.
func draw(io *term.IO, name, text string) {
	var out strings.Builder
	columns := 0
	for line := range strings.Lines(text) {
		if line != "\n" {
			out.WriteString("  ")
		}
		out.WriteString(line)
		columns = max(columns, term.Width(line)+2)
	}
	io.Printf("\n")
	if w := io.Width(); w > 0 && columns > w {
		io.Say(fmt.Sprintf("The %s is %d columns wide; --svg FILE or a wider terminal shows it.", name, columns), "  ", "  ")
		return
	}
	io.Printf("%s", out.String())
}

// The unnumbered drawing of the report's section 1.5: the attention over ten words that the
// entropy penalty aims at, as text and for a page.
var (
	//go:embed wanted.txt
	wantedText string
	//go:embed wanted.svg
	wantedSVG string
)

const wantedTitle = "Section 1.5: the attention wanted, neither uniform nor on one word"

// penalised reports whether a model's loss holds the entropy of its attention.
func penalised(m models.Model) bool { return models.PenaltyOf(m).Penalised() }

// showSVG writes the drawing of an experiment or a run.
func showSVG(ctx context.Context, a *cli.App, words []string, path string) error {
	s, err := find(ctx, a, words)
	if err != nil {
		return err
	}
	svg := s.svg()
	if svg == "" {
		return fmt.Errorf("%s cannot be drawn: this program does not know the model or its settings", words[0])
	}
	if err := cli.WriteTo(a.IO, path, cli.BytesTo([]byte(diagram.File(svg)))); err != nil || path == "-" {
		return err
	}
	a.Printf("wrote %s\n", path)
	return nil
}

// svg returns the drawing; "" for an unknown model.
func (s *subject) svg() string {
	n := s.info.Drawing(s.model)
	if n == nil {
		return ""
	}
	return diagram.SVG(n, s.info.Title, strings.Join(s.info.Equations(s.model), "; "))
}

// figureOf are the models that the published report draws, too.
var figureOf = func() map[string]string {
	out := map[string]string{}
	for _, e := range figures.Published() {
		if e.Model != "" {
			out[e.Model] = fmt.Sprintf("Figure %d: ", e.Number)
		}
	}
	return out
}()

// Drawings returns the drawings of the runs' models as <svg> elements by their
// titles, with what to look for. Runs whose models look alike share one.
func Drawings(list []*runs.Run) map[string]page.Drawing {
	out := map[string]page.Drawing{}
	var order []string // of the drawings, as the runs have them
	models, names, watch := map[string]subject{}, map[string][]string{}, map[string][]string{}
	for _, r := range list {
		s := shownRun(r)
		svg := s.svg()
		if svg == "" {
			continue
		}
		if penalised(s.model) {
			out[wantedTitle] = page.Drawing{SVG: wantedSVG}
		}
		if _, ok := models[svg]; !ok {
			order, models[svg] = append(order, svg), s
			watch[svg] = append(watch[svg], s.info.Watch(s.model))
		}
		if text := experiments.Watch(r.Config.Name); !slices.Contains(watch[svg], text) {
			watch[svg] = append(watch[svg], text)
		}
		if !slices.Contains(names[svg], r.Config.Name) {
			names[svg] = append(names[svg], r.Config.Name)
		}
	}
	for _, svg := range order {
		s := models[svg]
		title := capital(s.info.Title) + " (" + strings.Join(names[svg], ", ")
		if !penalised(s.model) {
			title = figureOf[s.info.Name] + title
		}
		if _, taken := out[title+")"]; taken { // the same experiment with other settings
			title += ", run " + s.run.Config.ID
		}
		out[title+")"] = page.Drawing{SVG: svg, Watch: strings.TrimSpace(strings.Join(watch[svg], " "))}
	}
	return out
}

// capital begins a text with a capital letter.
func capital(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:n]) + text[n:]
}
