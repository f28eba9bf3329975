package export

import (
	"bytes"
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

	"go.yaml.in/yaml/v3"

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
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// cardFile is the name under which the Hugging Face hub shows a model's card.
const cardFile = "README.md"

// metadata are the fields of a card that the hub reads
// (https://github.com/huggingface/hub-docs/blob/main/modelcard.md).
type metadata struct {
	Language []string `yaml:"language,omitempty"`
	License  string   `yaml:"license"`
	Library  string   `yaml:"library_name"`
	Pipeline string   `yaml:"pipeline_tag"`
	Tags     []string `yaml:"tags"`
	Datasets []string `yaml:"datasets,omitempty"`
	Metrics  []string `yaml:"metrics,omitempty"`
	Index    []model  `yaml:"model-index,omitempty"`
}

type (
	model struct {
		Name    string   `yaml:"name"`
		Results []result `yaml:"results"`
	}
	result struct {
		Task    named   `yaml:"task"`
		Dataset named   `yaml:"dataset"`
		Metrics []score `yaml:"metrics"`
	}
	named struct {
		Type  string `yaml:"type"`
		Name  string `yaml:"name"`
		Split string `yaml:"split,omitempty"`
	}
	score struct {
		Type  string  `yaml:"type"`
		Value float64 `yaml:"value"`
		Name  string  `yaml:"name"`
	}
)

// known are the data sets that are no one's own: their dataset on the hub, their languages, and what
// they are.
var known = map[string]struct {
	hub, about string
	languages  []string
}{
	"imdb":    {"stanfordnlp/imdb", "Reviews of films from IMDB, positive and negative (Maas et al. 2011).", []string{"en"}},
	"sample":  {"", "Short reviews that a small grammar has written. They are part of exp and serve to try it out.", []string{"en"}},
	"phrases": {"", "English phrases and their French translations that a small grammar has written. They are part of exp and serve to try it out.", []string{"en", "fr"}},
}

// kinds are the hub's names of the tasks.
var kinds = map[*runs.Task]named{
	runs.Reviews: {Type: "text-classification", Name: "Text Classification"},
	runs.Pairs:   {Type: "translation", Name: "Translation"},
	runs.Texts:   {Type: "text-generation", Name: "Text Generation"},
}

//go:embed card.tmpl
var cardText string

var cardTemplate = template.Must(template.New("card").Funcs(template.FuncMap{"code": code, "cell": cell}).Parse(cardText))

// code quotes a name or a value, and cell escapes a text, for a cell of a table.
func code(text string) string { return "`" + cell(strings.ReplaceAll(text, "`", "'")) + "`" }

func cell(text string) string { return strings.ReplaceAll(term.Line(text), "|", `\|`) }

// card is the data of a card's text.
type card struct {
	Config                       *runs.Config
	Metadata, File, Title, Shows string
	Equations                    string
	Holds                        string // the words in the file
	About, Command, Machine      string
	Result, Citation, Again      string   // Again checks the citation on another machine
	Runs                         int      // of this setting, this one among them
	Spread                       []spread // over these; none if there is one
	Graph                        bool     // the file is an ONNX graph
	Settings                     []page.Setting
	Data                         []page.Fact
	Sources, Limits              []string
}

// spread is a result of the run next to those of all seeds.
type spread struct{ Name, Own, All string }

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
	p := card{Config: c, File: filepath.Base(file), Title: report.DataTitle(c), Holds: holds(t), About: known[c.Data.Name].about,
		Command: exhibit.Command([]*runs.Config{c}), Settings: exhibit.Settings(c), Graph: strings.HasSuffix(file, onnxSuffix)}
	p.Data = slices.DeleteFunc(page.Facts(c), func(f page.Fact) bool { return f.Key == "model" || f.Key == "result version" })
	p.Runs, p.Spread = overSeeds(run, scores)
	var err error
	if p.Metadata, err = cardMetadata(c, scores, split); err != nil {
		return err
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
	if p.Result, err = outcome.Line(run); err != nil {
		return err
	}
	p.Result = strings.TrimPrefix(p.Result, c.Name+": ")
	if cited, err := run.Citation(); err == nil {
		p.Citation = cited.String()
		if _, words, known := strings.Cut(p.Command, " run "+c.Name); known {
			p.Again = cli.CommandLine("reproduce", p.Citation) + words
		}
	}
	p.Limits = limits(a, shown, t)
	path := filepath.Join(filepath.Dir(file), cardFile)
	return cli.Write(a.IO, path, "the model's card; complete what it marks as yours", func(w io.Writer) error { return cardTemplate.Execute(w, p) })
}

// limits lists what a run itself says against its results.
func limits(a *cli.App, r *report.Result, t *infer.Trained) []string {
	c := &r.Config
	out := []string{}
	if !c.Counts() {
		out = append(out, fmt.Sprintf("The file is the model of one seed, %d. Other seeds give other results.", c.Seed()))
	}
	if words := t.Table; words != nil && t.Languages == nil {
		out = append(out, fmt.Sprintf("It knows %s different words; all others are alike to it.", format.Thousands(len(words.Words)-1)))
	}
	if n := trials(r.Run); n > 0 {
		out = append(out, fmt.Sprintf("Its settings are those of one of %d trials of a search, so its result on the validation split is too good by chance.", n))
	}
	if u := outcome.NotLearned(r.Run); u != nil {
		text, _, _ := strings.Cut(u.Text(a), ". ") // without the advice
		out = append(out, text+".")
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

// trials returns the number of trials of a search of the run's experiment in the same folder of runs, if one has its
// settings, else 0.
func trials(run *runs.Run) (n int) {
	settings := func(r *runs.Run) string {
		c := r.Normalized()
		c.Settings = slices.DeleteFunc(c.Settings, func(s runs.Value) bool { return s.Key == "test" })
		return c.WithoutSeeds()
	}
	same := false
	list, _ := runs.List(filepath.Dir(filepath.Dir(run.Path))) // what can be read
	for _, r := range list {
		if c := &r.Config; c.Untested() && c.Name == run.Config.Name && c.Variant == run.Config.Variant && c.Data.Name == run.Config.Data.Name {
			n, same = n+1, same || settings(r) == settings(run)
		}
	}
	if n < 2 || !same {
		return 0
	}
	return n
}

// cardMetadata returns the fields that the hub reads, as YAML.
func cardMetadata(c *runs.Config, scores []score, split string) (string, error) {
	kind, data := kinds[c.Task()], known[c.Data.Name]
	if strings.HasPrefix(c.Model, "masked") {
		kind = named{Type: "fill-mask", Name: "Fill-Mask"}
	}
	head := metadata{Language: data.languages, License: "unknown", Library: "imdbexp", Pipeline: kind.Type, Tags: []string{"imdbexp", c.Name}}
	if c.Model != c.Name {
		head.Tags = append(head.Tags, c.Model)
	}
	dataset := named{Type: c.Data.Name, Name: report.DataTitle(c), Split: split}
	if data.hub != "" {
		head.Datasets, dataset.Type = []string{data.hub}, data.hub
	}
	for i, s := range scores {
		scores[i].Name += fmt.Sprintf(", seed %d", c.Seed())
		if s.Type != "loss" {
			head.Metrics = append(head.Metrics, s.Type)
		}
	}
	if len(scores) > 0 {
		head.Index = []model{{Name: c.Name + "-" + c.ID, Results: []result{{kind, dataset, scores}}}}
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := errors.Join(enc.Encode(head), enc.Close())
	if len(head.Language) == 0 {
		out.WriteString("# language: that of the texts, such as fr\n")
	}
	return out.String(), err
}

// overSeeds compares the results of a run with those of all seeds of its setting, in the same folder of runs.
func overSeeds(run *runs.Run, own []score) (n int, out []spread) {
	list, _ := runs.List(filepath.Dir(filepath.Dir(run.Path))) // what can be read
	for _, group := range report.Averaged(list) {
		if len(group) == 1 || run.Config.Counts() || !slices.ContainsFunc(group, func(r *runs.Run) bool { return r.Config.ID == run.Config.ID }) {
			continue
		}
		values := map[string][]float64{}
		for _, r := range report.ReadAll(group) {
			scores, _ := scoresOf(r)
			for _, s := range scores {
				values[s.Name] = append(values[s.Name], s.Value)
			}
		}
		for _, s := range own {
			digits := 2
			if s.Type == "loss" {
				digits = 3
			}
			m := stats.Summarise(values[s.Name])
			out = append(out, spread{s.Name, format.Fixed(s.Value, digits), format.Fixed(m.Mean, digits) + " ± " + format.Fixed(m.SD, digits)})
		}
		return len(group), out
	}
	return 1, nil
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
