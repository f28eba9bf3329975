package export

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/outcome"
	exhibit "imdbexp/cmd/exp/internal/report"
	"imdbexp/experiments"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/report"
	"imdbexp/report/page"
	"imdbexp/runs"
)

// cardFile is the name under which the Hugging Face hub shows a model's card.
const cardFile = "README.md"

// score is a result for the hub: the name of its metric, its value, and its name for people.
type score struct {
	Type  string
	Value float64
	Name  string
}

// known are the data sets that are no one's own: their dataset on the hub, their languages, and what
// they are.
var known = map[string]struct {
	Hub, About string
	Languages  []string
}{
	"imdb":    {"stanfordnlp/imdb", "Reviews of films from IMDB, positive and negative (Maas et al. 2011).", []string{"en"}},
	"sample":  {"", "Short reviews that a small grammar has written. They are part of exp and serve to try it out.", []string{"en"}},
	"phrases": {"", "English phrases and their French translations that a small grammar has written. They are part of exp and serve to try it out.", []string{"en", "fr"}},
}

// kinds are the hub's types of the tasks, and their names.
var kinds = map[*runs.Task][2]string{
	runs.Reviews: {"text-classification", "Text Classification"},
	runs.Pairs:   {"translation", "Translation"},
	runs.Texts:   {"text-generation", "Text Generation"},
}

//go:embed card.tmpl
var cardText string

var cardTemplate = template.Must(template.New("card").Funcs(template.FuncMap{"code": code, "cell": cell}).Parse(cardText))

// code quotes a name or a value, and cell escapes a text, for a cell of a table.
func code(text string) string { return "`" + cell(strings.ReplaceAll(text, "`", "'")) + "`" }

func cell(text string) string { return strings.ReplaceAll(term.Line(text), "|", `\|`) }

// card is the data of a card's text, and of the fields that the hub reads
// (https://github.com/huggingface/hub-docs/blob/main/modelcard.md).
type card struct {
	Config             *runs.Config
	Kind               [2]string
	Hub, About         string
	Languages          []string
	File, Title, Shows string
	Equations, Holds   string  // Holds: the words in the file
	Scores             []score // on a split
	Split              string
	Command, Machine   string
	Result, Citation   string
	Again              string // checks the citation on another machine
	Graph              bool   // the file is an ONNX graph
	Settings           []page.Setting
	Data               []page.Fact
	Sources, Limits    []string
}

// besideCard makes the folder of a model and its card, and returns the model's file in it. It refuses to replace a file
// that is in the card's place.
func besideCard(dir, suffix string) (string, error) {
	path := filepath.Join(dir, cardFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", cmp.Or(err, fmt.Errorf("%s is there already, perhaps with your changes; remove it, or name another folder with --out", path))
	}
	return filepath.Join(dir, "model"+suffix), os.MkdirAll(dir, 0o777)
}

// writeCard writes the card of a run's model next to its file.
func writeCard(a *cli.App, run *runs.Run, t *infer.Trained, file string) error {
	c := &run.Config
	shown := report.ReadAll([]*runs.Run{run})[0]
	scores, split := scoresOf(shown)
	data := known[c.Data.Name]
	p := card{Config: c, Kind: kinds[c.Task()], Hub: data.Hub, About: data.About, Languages: data.Languages, Scores: scores, Split: split,
		File: filepath.Base(file), Title: report.DataTitle(c), Holds: holds(t), Command: exhibit.Command([]*runs.Config{c}), Settings: exhibit.Settings(c), Graph: strings.HasSuffix(file, onnxSuffix)}
	p.Data = slices.DeleteFunc(page.Facts(c), func(f page.Fact) bool { return f.Key == "model" || f.Key == "result version" })
	if strings.HasPrefix(c.Model, "masked") {
		p.Kind = [2]string{"fill-mask", "Fill-Mask"}
	}
	if e, err := experiments.Lookup(c.Name); err == nil {
		p.Shows = e.Shows
	}
	if info, err := models.Lookup(c.Model); err == nil {
		if m, _, _, err := t.Architecture(); err == nil {
			p.Equations = strings.Join(info.Equations(m), "\n")
		}
		if info.Source != "" {
			p.Sources = append(p.Sources, info.Source)
		}
	}
	if c.Published != nil && shown.Comparable() {
		p.Sources = append(p.Sources, "the published row "+c.Published.Row+": "+c.Published.Source)
	}
	if all, err := run.Environments(); err == nil && len(all) > 0 {
		e := all[len(all)-1]
		p.Machine = page.Machine(e) + ", by exp (" + page.Program(e) + ")"
	}
	line, err := outcome.Line(run)
	if err != nil {
		return err
	}
	p.Result = strings.TrimPrefix(line, c.Name+": ")
	if cited, err := run.Citation(); err == nil {
		p.Citation = cited.String()
		if _, words, known := strings.Cut(p.Command, " run "+c.Name); known {
			p.Again = cli.CommandLine("reproduce", p.Citation) + words
		}
	}
	p.Limits = limits(shown, t)
	path := filepath.Join(filepath.Dir(file), cardFile)
	return cli.Write(a.IO, path, "the model's card; complete what it marks as yours", func(w io.Writer) error { return cardTemplate.Execute(w, p) })
}

// limits lists what a run itself says against its results.
func limits(r *report.Result, t *infer.Trained) []string {
	c := &r.Config
	out := []string{}
	if !c.Counts() {
		out = append(out, fmt.Sprintf("The file is the model of one seed, %d. Other seeds give other results.", c.Seed()))
	}
	if words := t.Table; words != nil && t.Languages == nil {
		out = append(out, fmt.Sprintf("It knows %s different words; all others are alike to it.", format.Thousands(len(words.Words)-1)))
	}
	if text, _ := outcome.NotLearned(r.Run); text != "" {
		out = append(out, text)
	}
	for _, n := range slices.Concat(r.Notes, r.Incomparable) {
		if n.Kind != report.Missing && n.Kind != report.OtherData && !n.Own() {
			out = append(out, n.String()+".")
		}
	}
	if words := c.General().MaxLen; words > 0 {
		out = append(out, fmt.Sprintf("It reads the first %d words of a text.", words))
	}
	if r.ChoosesByTest() {
		out = append(out, "Its epoch was chosen on the test set, as in the original, so the test result is too good.")
	}
	return out
}

// scoresOf returns the results of the chosen epoch on the test set, or else on the validation split.
func scoresOf(r *report.Result) (list []score, split string) {
	put := func(kind, name string, value float64) {
		if !math.IsNaN(value) {
			list = append(list, score{kind, math.Round(value*1e4) / 1e4, split + " " + name})
		}
	}
	m, accuracy := r.Chosen, r.Config.Task().Accuracy+" (%)"
	f1 := r.MacroF1
	if math.IsNaN(f1) {
		f1 = m.Get("test_macro_f1")
	}
	split = "test"
	put("exact_match", "exact match (%)", m.Get("test_exact"))
	put("bleu", "BLEU", m.Get("test_bleu"))
	put("accuracy", accuracy, m.Get("test_acc"))
	put("f1", "macro-F1 (%)", f1)
	put("loss", "loss (nats)", m.Get("test_loss"))
	if len(list) == 0 {
		split = "validation"
		put("accuracy", accuracy, m.Get("valid_acc"))
		put("loss", "loss (nats)", m.Get("valid_loss"))
	}
	return list, split
}
