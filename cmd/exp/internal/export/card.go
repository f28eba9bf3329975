package export

import (
	"bytes"
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
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/report"
	"imdbexp/report/page"
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
	Result, Citation             string
	Graph                        bool // the file is an ONNX graph
	Settings                     []page.Setting
	Data                         []page.Fact
	Sources, Limits              []string
}

// besideCard returns the file to write a model to, next to its card. It refuses to replace a file that
// is in the card's place.
func besideCard(run *runs.Run, out, suffix string) (string, error) {
	if out == "" {
		out = filepath.Join(run.Config.Name+"-"+run.Config.ID, "model"+suffix)
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			return "", err
		}
	}
	path := filepath.Join(filepath.Dir(out), cardFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is there already, perhaps with your changes; remove it, or name a file in another folder: --out FOLDER/model%s", path, suffix)
	}
	return out, nil
}

// writeCard writes the card of a run's model next to its file.
func writeCard(a *cli.App, run *runs.Run, t *infer.Trained, file string) error {
	c := &run.Config
	chosen, err := run.Chosen()
	if err != nil {
		return err
	}
	p := card{Config: c, File: filepath.Base(file), Title: report.DataTitle(c), Holds: holds(t), About: known[c.Data.Name].about,
		Command: exhibit.Command([]*runs.Config{c}), Settings: exhibit.Settings(c), Data: page.Facts(c), Graph: strings.HasSuffix(file, onnxSuffix)}
	if p.Metadata, err = cardMetadata(c, &chosen); err != nil {
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
	shown := report.ReadAll([]*runs.Run{run})[0]
	if c.Published != nil && shown.Comparable() {
		p.Sources = append(p.Sources, "the published row "+c.Published.Row+": "+c.Published.Source)
	}
	if all, err := run.Environments(); err == nil && len(all) > 0 {
		e := all[len(all)-1]
		p.Machine = page.Machine(e) + ", by " + page.Program(e)
	}
	if p.Result, err = outcome.Line(run); err != nil {
		return err
	}
	p.Result = strings.TrimPrefix(p.Result, c.Name+": ")
	if cited, err := run.Citation(); err == nil {
		p.Citation = cited.String()
	}
	p.Limits = limits(a, shown)
	path := filepath.Join(filepath.Dir(file), cardFile)
	return cli.Write(a.IO, path, "the model's card; complete what it marks as yours", func(w io.Writer) error { return cardTemplate.Execute(w, p) })
}

// limits lists what a run itself says against its results.
func limits(a *cli.App, r *report.Result) []string {
	c := &r.Config
	out := []string{fmt.Sprintf("These are the results of one seed, %d. Other seeds give other results.", c.Seed())}
	if u := outcome.NotLearned(r.Run); u != nil {
		text, _, _ := strings.Cut(u.Text(a), ". ") // without the advice
		out = append(out, text+".")
	}
	for _, n := range slices.Concat(r.Notes, r.Incomparable) {
		if n.Kind != report.Missing && n.Kind != report.OtherData {
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

// cardMetadata returns the fields that the hub reads, as YAML.
func cardMetadata(c *runs.Config, m *runs.Metrics) (string, error) {
	kind, data := kinds[c.Task()], known[c.Data.Name]
	if strings.HasPrefix(c.Model, "masked") {
		kind = named{Type: "fill-mask", Name: "Fill-Mask"}
	}
	head := metadata{Language: data.languages, License: "unknown", Library: "imdbexp", Pipeline: kind.Type, Tags: []string{"imdbexp", c.Name}}
	if c.Model != c.Name {
		head.Tags = append(head.Tags, c.Model)
	}
	scores, split := scoresOf(c, m)
	dataset := named{Type: c.Data.Name, Name: report.DataTitle(c), Split: split}
	if data.hub != "" {
		head.Datasets, dataset.Type = []string{data.hub}, data.hub
	}
	for _, s := range scores {
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
	return out.String(), err
}

// scoresOf returns the results of the chosen epoch on the test set, or else on the validation split.
func scoresOf(c *runs.Config, m *runs.Metrics) (list []score, split string) {
	put := func(kind, name string, value *float64) {
		if value != nil {
			list = append(list, score{kind, math.Round(*value*1e4) / 1e4, fmt.Sprintf("%s %s, seed %d", split, name, c.Seed())})
		}
	}
	split = "test"
	put("exact_match", "exact match (%)", m.TestExact)
	put("bleu", "BLEU", m.TestBLEU)
	put("accuracy", c.Task().Accuracy+" (%)", m.TestAcc)
	put("f1", "macro-F1 (%)", m.TestMacroF1)
	put("loss", "loss (nats)", m.TestLoss)
	if len(list) == 0 {
		split = "validation"
		put("accuracy", c.Task().Accuracy+" (%)", m.ValidAcc)
		put("loss", "loss (nats)", m.ValidLoss)
	}
	return list, split
}
