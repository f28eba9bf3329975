package show

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/diagram"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/report/figures"
	"imdbexp/report/page"
	"imdbexp/runs"
)

// printModel prints a model's formulas, its drawing, and what to look for in it and in an
// experiment ("" for none).
func printModel(io *term.IO, info models.Info, m models.Model, experiment string) {
	title := "model " + info.Name
	if info.Title != "" {
		title += ": " + info.Title
	}
	io.Printf("\n%s\n", io.Wrap(io.Paint(term.Bold, title), "", "  "))
	for _, l := range info.Equations(m) {
		io.SayIndented(l, "  ", "      ")
	}
	if info.Source != "" {
		io.SayIndented("source: "+info.Source, "  ", "    ")
	}
	if n := info.Drawing(m); n != nil {
		draw(io, "drawing", diagram.Text(n))
	}
	if watch := strings.TrimSpace(info.Watch + " " + experiments.Watch(experiment)); watch != "" {
		io.Heading("what to look for")
		io.SayIndented(watch, "  ", "  ")
	}
	if penalised(m) {
		draw(io, "drawing of the attention wanted", wantedText)
	}
}

// draw prints a drawing, or its width if the terminal is narrower.
func draw(io *term.IO, name, text string) {
	columns := 0
	for line := range strings.Lines(text) {
		columns = max(columns, term.Width(line)+2)
	}
	io.Printf("\n")
	if w := io.Width(); w > 0 && columns > w {
		io.SayIndented(fmt.Sprintf("The %s is %d columns wide; --svg FILE or a wider terminal shows it.", name, columns), "  ", "  ")
		return
	}
	io.Printf("%s", strings.ReplaceAll("  "+strings.TrimSuffix(text, "\n"), "\n", "\n  ")+"\n")
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

// penalised reports whether a model's loss has the entropy of its attention.
func penalised(m models.Model) bool { return models.PenaltyOf(m).Penalised() }

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

// figureOf maps models to the number of their figure in the published report.
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
	var order []string // drawings in the order of the runs
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
			watch[svg] = append(watch[svg], s.info.Watch)
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
		_, n := utf8.DecodeRuneInString(s.info.Title)
		title := strings.ToUpper(s.info.Title[:n]) + s.info.Title[n:] + " (" + strings.Join(names[svg], ", ")
		if !penalised(s.model) {
			title = figureOf[s.info.Name] + title
		}
		if _, exists := out[title+")"]; exists { // the same experiment with other settings
			title += ", run " + s.run.Config.ID
		}
		out[title+")"] = page.Drawing{SVG: svg, Watch: strings.TrimSpace(strings.Join(watch[svg], " "))}
	}
	return out
}

// printPlanWeights builds the network that a plan would train, and lists its weights.
func printPlanWeights(ctx context.Context, io *term.IO, dir string, p *plan.Plan) error {
	pool := ops.NewPool(1)
	defer pool.Close()
	spec, err := p.Task().Sizes(ctx, dir, p.Run)
	if err != nil {
		return err
	}
	if c, counts := p.Model.(models.Counting); counts {
		io.Heading("weights")
		io.SayIndented(ngramWeights(c.Counts()), "  ", "    ")
		return nil
	}
	w, dim := models.NewWeights(p.Run.Seed), spec.In
	spec.Model, spec.Weights, spec.Pool, spec.Training = p.Model, w, pool, true
	of := fmt.Sprintf("word vectors of %d numbers, %d classes", dim, spec.Out)
	switch p.Model.(type) {
	case models.Reader:
		of = fmt.Sprintf("word vectors of %d numbers", dim)
	case translate.Translator:
		of = fmt.Sprintf("vocabularies of %s and %s words", format.Thousands(spec.In), format.Thousands(spec.Out))
	}
	n, err := models.NewNetwork(spec)
	if err != nil {
		return err
	}
	defer n.Close()
	io.Heading("weights (" + of + ")")
	t, add := weightTable()
	for _, x := range w.List() {
		add(x.Name, len(x.Data), x.Rows, x.Cols)
	}
	all := format.Thousands(w.Count())
	switch {
	case p.Run.TrainVectors:
		rows := fmt.Sprintf("R·%d", dim)
		t.Add(models.VectorsWeight, fmt.Sprintf("R×%d", dim), rows)
		all += " + " + rows
	case p.Run.Unknown() == string(embedding.OOVLearned):
		t.Add(models.OOVWeight, shape(1, dim), format.Thousands(dim))
		all = format.Thousands(w.Count() + dim)
	}
	t.Add("in all", "", all)
	t.Text(io, "  ")
	if p.Run.TrainVectors {
		io.SayIndented("R is the number of the data's words with a vector, plus 1: the row of all other words", "  ", "  ")
	}
	if c, folds := models.WideInput(p.Model); folds > 0 {
		io.SayIndented("and the weights of the n-grams: "+ngramWeights(c.Counts()), "  ", "    ")
	}
	return nil
}

// ngramWeights describes how many weights a bag-of-n-grams model has.
func ngramWeights(c models.Counts) string {
	of := "the F n-grams of train"
	if c.Most > 0 {
		of = fmt.Sprintf("the %s most frequent n-grams of train at most", format.Thousands(c.Most))
	}
	return fmt.Sprintf("one for each of %s that occur %d times or more, and a bias; with C > 2 classes C times as many. On IMDB a million.", of, c.MinCount)
}

// printHeaviest prints the n-grams with the largest weights for each class, of a run that
// counts n-grams.
func printHeaviest(a *cli.App, run *runs.Run) {
	if !run.Config.Counts() || run.Status.State == runs.Created {
		return
	}
	pool := ops.NewPool(1)
	defer pool.Close()
	m, err := infer.Open(run, pool)
	if err != nil {
		a.Warn(err)
		return
	}
	defer m.Close()
	s := m.Scorer()
	a.Heading(fmt.Sprintf("heaviest of %s n-grams", format.Thousands(s.Features.Len())))
	t := term.NewTable(term.Left("class"), term.Left("n-gram"), term.Right("weight"), term.Right("train reviews").Drop(1))
	for c, class := range m.Classes {
		for _, f := range s.Heaviest(c, 12) {
			_, reviews := s.Features.Count(f)
			t.Add(term.Line(class), term.Visible(s.Features.Name(f)), format.Fixed(s.Weight(f, c), 3), format.Thousands(reviews))
			class = ""
		}
	}
	t.Text(a.IO, "  ")
	a.SayIndented("the score of a text for a class adds up the weights of its n-grams, each times its TF-IDF if the model uses it", "  ", "  ")
}
