package explain

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
)

// Explained holds the results of the tests of a run.
type Explained struct {
	Run     string    `json:"run"` // its label
	ID      string    `json:"id"`
	About   string    `json:"settings"`
	Data    string    `json:"data"`
	Epoch   int       `json:"epoch"`
	Reviews int       `json:"reviews"` // number of sampled reviews
	Of      int       `json:"of"`      // number of test reviews
	Seed    uint64    `json:"seed"`
	Scores  []string  `json:"scores"`
	Lacks   []string  `json:"lacks,omitempty"` // scores that the model does not have, and why
	Results []*Result `json:"results"`

	seeds int // number of seeds that these are means over; 0 for a single run
}

func show(a *cli.App, list []group, format string) error {
	switch {
	case format == "json":
		return writeJSON(a.Verbatim(), slices.Concat(list...))
	case cli.IsData(format):
		return records(slices.Concat(list...)).Write(a.Verbatim(), format)
	}
	for i, g := range list {
		if i > 0 {
			a.Printf("\n")
		}
		g.whole().text(a)
	}
	return nil
}

func (e *Explained) drawnFrom() string {
	if e.Reviews == e.Of {
		return fmt.Sprintf("all %s of %s", format.Counted(e.Of, "review"), e.Data)
	}
	return fmt.Sprintf("%s of the %s of %s (seed %d)", format.Counted(e.Reviews, "random review"), format.Thousands(e.Of), e.Data, e.Seed)
}

// Facts describes the run and the sampled reviews.
func (e *Explained) Facts() string {
	if e.seeds > 0 {
		return fmt.Sprintf("%s; means over %d seeds, 95 %% intervals over seeds and reviews; %s", e.About, e.seeds, e.drawnFrom())
	}
	return e.About + "; weights of epoch " + strconv.Itoa(e.Epoch) + "; " + e.drawnFrom()
}

func (e *Explained) text(a *cli.App) {
	a.Say(a.Paint(term.Bold, e.Run) + ": " + e.Facts())
	if conclusion := e.Conclusion(); conclusion != nil {
		a.Heading("In short")
		for _, line := range conclusion {
			a.Say(line)
		}
	}
	for i, omitted := range [][]string{e.lacking(), e.Lacks} {
		if len(omitted) > 0 {
			a.Printf("\n")
			a.Say([]string{"Tests", "Scores"}[i] + " omitted: " + strings.Join(omitted, "; ") + ".")
		}
	}
	for _, r := range e.Results {
		if r.Lacks != "" {
			continue
		}
		test := Named(r.Test)
		a.Printf("\n")
		a.Say(a.Paint(term.Bold, test.Title) + " (" + test.Source + ")")
		a.SayIndented(test.Method, "", "")
		for _, t := range r.Tables() {
			if t.Caption == "" { // tables by parts are in the page and the CSV
				a.Printf("\n")
				t.Text(a.IO, "  ")
			}
		}
		for _, n := range r.Notes {
			a.Say(n)
		}
		a.SayIndented("Limits: "+test.Limits, "", "")
	}
}

func writeJSON(w io.Writer, list group) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out.Encode(list)
}

// records returns a record for each number.
func records(list group) term.Records {
	out := term.Records{{"run", "id", "test", "statistic", "score", "part", "reviews", "value", "low", "high"}}
	for _, e := range list {
		for _, r := range e.Results {
			for _, v := range r.Values {
				out = append(out, []string{e.Run, e.ID, r.Test, v.Statistic, v.Of, v.Part, strconv.Itoa(v.N), digits(v.Value), digits(v.Low), digits(v.High)})
			}
		}
	}
	return out
}

// digits prints a number, NaN as an empty field.
func digits(n Number) string {
	if n != n {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', 10, 64)
}

// group holds the runs of one setting, one for each seed.
type group []*Explained

// whole returns the means over the seeds, or the results of a single seed.
func (g group) whole() *Explained {
	first := g[0]
	if len(g) == 1 {
		return first
	}
	name, _, _ := strings.Cut(first.Run, "/")
	out := *first
	out.Run, out.seeds = fmt.Sprintf("%s, %d seeds", name, len(g)), len(g)
	out.ID = fmt.Sprintf("%s-%d-seeds", first.ID, len(g)) // files are named by it
	out.About, _, _ = strings.Cut(first.About, ", seed=")
	if strings.HasPrefix(out.About, "seed=") {
		out.About = "default settings"
	}
	out.Results = nil
	for i := range first.Results {
		out.Results = append(out.Results, g.mean(i))
	}
	return &out
}

// mean returns the mean of result i over the runs, for each value that all of them have,
// with intervals over seeds and reviews.
func (g group) mean(i int) *Result {
	first := g[0].Results[i]
	out := &Result{Test: first.Test, Lacks: first.Lacks, Reviews: first.Reviews}
	of := map[[3]string][]Value{}
	for _, e := range g {
		for _, v := range e.Results[i].Values {
			k := [3]string{v.Statistic, v.Of, v.Part}
			of[k] = append(of[k], v)
		}
	}
	for _, v := range first.Values {
		if list := of[[3]string{v.Statistic, v.Of, v.Part}]; len(list) == len(g) {
			out.overSeeds(v.Statistic, v.Of, v.Part, list)
		}
	}
	out.clip()
	return out
}

// lacking lists the tests that do not apply to the model, with the reasons.
func (e *Explained) lacking() (out []string) {
	var reasons []string
	tests := map[string][]string{} // by reason
	for _, r := range e.Results {
		if r.Lacks != "" {
			if tests[r.Lacks] == nil {
				reasons = append(reasons, r.Lacks)
			}
			tests[r.Lacks] = append(tests[r.Lacks], r.Test)
		}
	}
	for _, why := range reasons {
		out = append(out, strings.Join(tests[why], ", ")+": "+why)
	}
	return out
}

// Conclusion sums up the results in plain sentences: one for each of the tests agreement,
// permutation, adversary and erasure, or without attention one for erasure and plausibility.
func (e *Explained) Conclusion() (out []string) {
	for _, r := range e.Results {
		if s := r.sentence(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// overall returns a number over all reviews; NaN if the result lacks it.
func (r *Result) overall(statistic, of string) float64 {
	for _, v := range r.Values {
		if v.Statistic == statistic && v.Of == of && v.Part == "" {
			return float64(v.Value)
		}
	}
	return math.NaN()
}

// sentence sums up a result; "" without the number that it is about.
func (r *Result) sentence() string {
	byHalf := func(share float64, yes, no string) string {
		if share >= 0.5 {
			return yes
		}
		return no
	}
	switch r.Test {
	case agreement.Name:
		if tau := r.overall("τ", titleOf(scores.Gradient)); tau == tau {
			how := byHalf(tau, "largely", "partly")
			if tau < 0.2 {
				how = "hardly"
			}
			text := fmt.Sprintf("Attention and gradients %s agree about which words count: Kendall's τ is %s, where 1 is the same order and 0 is chance", how, fixed(tau))
			if shared := r.overall(overlapName, titleOf(scores.Gradient)); shared == shared {
				text += fmt.Sprintf("; of the first %d words they share %.0f %%", topWords, 100*shared)
			}
			return text + "."
		}
	case permutation.Name:
		if share := r.overall("reviews that move by 0.1", ""); share == share {
			return fmt.Sprintf("Shuffling the weights changes the probability by 0.1 or more in %.0f of 100 reviews: most predictions %s on which words have the weights.",
				100*share, byHalf(share, "depend", "do not depend"))
		}
	case adversarial.Name:
		if share := r.overall(farReviews, fmt.Sprintf("ε = %g", usualEpsilon)); share == share {
			return fmt.Sprintf("Very different weights give nearly the same answer (within %g) in %.0f of 100 reviews: %s.", usualEpsilon, 100*share,
				byHalf(share, "the weights shown are rarely the only possible explanation", "for most reviews the weights are not free to differ"))
		}
	case erasure.Name:
		return r.erased()
	case plausibility.Name:
		attention, chance := r.overall(auprc, titleOf(scores.Attention)), r.overall(auprc, titleOf(scores.Random))
		if attention != attention && chance == chance {
			best, _, named := r.best(auprc)
			return fmt.Sprintf("Of these scores, %s finds the marked words best: its area under precision over recall is %s, that of random words %s.", named, fixed(best), fixed(chance))
		}
	}
	return ""
}

// erased sums up what removing words does; "" without random words to compare with.
func (r *Result) erased() string {
	attention, chance := r.overall(eraserComprehensiveness, titleOf(scores.Attention)), r.overall(eraserComprehensiveness, titleOf(scores.Random))
	if chance != chance {
		return ""
	}
	best, of, named := r.best(eraserComprehensiveness)
	if attention != attention {
		return fmt.Sprintf("Removing the words that %s finds lowers the probability by %s on average, random words by %s.", named, fixed(best), fixed(chance))
	}
	rest := fmt.Sprintf(", and the words that %s finds by %s.", named, fixed(best))
	if slices.Contains(of, titleOf(scores.Attention)) {
		rest = "; no other score finds words that clearly matter more."
	}
	return fmt.Sprintf("Removing the most attended words lowers the probability by %s on average, random words by %s%s", fixed(attention), fixed(chance), rest)
}

// best returns the largest value of a statistic over all reviews, and the scores whose 95 % intervals reach it, as a
// list that begins with the best and as words.
func (r *Result) best(statistic string) (value float64, of []string, named string) {
	of = []string{slices.MaxFunc(r.scores(), func(a, b string) int { return cmp.Compare(r.overall(statistic, a), r.overall(statistic, b)) })}
	value, named = r.overall(statistic, of[0]), of[0]
	for _, v := range r.Values {
		if v.Statistic == statistic && v.Part == "" && v.Of != named && float64(v.High) >= value {
			of = append(of, v.Of)
		}
	}
	if n := len(of) - 1; n > 0 {
		named += fmt.Sprintf(" (or %s, within noise)", format.Counted(n, "other"))
	}
	return value, of, named
}

func titleOf(name string) string { return scores.Named(name).Title }

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("explain").Funcs(template.FuncMap{"test": Named, "inline": func(f canvas.Figure) (template.HTML, error) {
	svg, err := f.Inline()
	return template.HTML(svg), err
}}).Parse(pageHTML))

// Draw returns the figure of a result, if its test has one.
func (e *Explained) Draw(r *Result) []canvas.Figure {
	t := Named(r.Test)
	if t.draw == nil {
		return nil
	}
	f := t.draw(r)
	if f.Panels == nil {
		return nil
	}
	f.Name, f.Caption = format.FileName(e.ID+"-"+t.Name), e.Run+" · "+e.About+" · "+e.drawnFrom()+f.Caption
	return []canvas.Figure{f}
}

// writeFolder writes the page, the numbers and the figures.
func writeFolder(a *cli.App, groups []group, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%w; --out must name a folder", err)
	}
	list := slices.Concat(groups...)
	var shown []*Explained
	for _, g := range groups {
		if len(g) > 1 {
			shown = append(shown, g.whole())
		}
		shown = append(shown, g...)
	}
	var html strings.Builder
	if err := pageTemplate.Execute(&html, map[string]any{"CSS": template.CSS(canvas.CSS()), "Runs": shown, "Scores": scores.All()}); err != nil {
		return err
	}
	save := func(name string, write func(io.Writer) error) error {
		path := filepath.Join(dir, name)
		err := cli.WriteFile(path, write)
		if err == nil {
			fmt.Fprintln(a.Err, "wrote", path)
		}
		return err
	}
	err := cmp.Or(save("explain.html", cli.BytesTo([]byte(term.Page(html.String())))),
		save("explain.json", func(w io.Writer) error { return writeJSON(w, list) }),
		save("explain.csv", func(w io.Writer) error { return records(list).Write(w, "csv") }))
	if err != nil {
		return err
	}
	for _, e := range shown {
		for _, r := range e.Results {
			for _, f := range e.Draw(r) {
				paths, err := a.Save(f, dir)
				if err != nil {
					return err
				}
				fmt.Fprintln(a.Err, "wrote", strings.Join(paths, ", "))
			}
		}
	}
	return nil
}
