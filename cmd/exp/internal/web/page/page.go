// Package page is the page of exp serve and of exp export --page: its HTML, styles and
// scripts, and what it shows of runs. The scripts reach the program through one module,
// backend.js: http.js asks the server, wasm.js a program within the page.
package page

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"imdbexp/dataset/sample"
	"imdbexp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// Limits of what a page shows and asks.
const (
	MaxRuns = 8      // compared at once: the number of distinct colours
	MaxText = 20_000 // characters; the longest review of IMDB has 13 704
)

// Page is the initial data of the scripts.
type Page struct {
	Title    string    `json:"title"`
	Live     bool      `json:"live"`     // runs change while the page is open
	Examples []Example `json:"examples"` // texts to choose from
	Notes    []string  `json:"notes"`    // paragraphs at the end of the page
	Tables   []int     `json:"tables"`   // of each model in the page, which table of words it reads
}

var (
	//go:embed page.html
	frame string
	//go:embed assets/style.css
	style string
	//go:embed assets/fr.json
	french json.RawMessage
	//go:embed assets/*.js
	scripts embed.FS
)

// modules are the scripts, each after those that it imports.
var modules = []string{
	"dom", "text", "matrix", "steps", "translation", "show", "answers", "axes", "lines", "curves", "ridges", "compare",
	"state", "french", "backend", "runs", "chosen", "ask", "search", "train", "main",
}

var (
	imports = regexp.MustCompile(`(?m)^import \{([^}]*)\} from "\./([^"]+)\.js";$`)
	exports = regexp.MustCompile(`(?m)^export (?:async )?(?:const|function|class) ([\w$]+)`)
)

// bundle joins the modules into one script, because a page that is opened from a disk may not
// load others. Each becomes a function that returns what it exports. The module backend is the
// file of that name: http or wasm.
func bundle(backend string) (string, error) {
	var out strings.Builder
	out.WriteString("const modules = {};\n")
	for _, name := range modules {
		file := name
		if name == "backend" {
			file = backend
		}
		b, err := scripts.ReadFile("assets/" + file + ".js")
		if err != nil {
			return "", err
		}
		text := string(b)
		var names []string
		for _, m := range exports.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		text = imports.ReplaceAllStringFunc(text, func(line string) string {
			m := imports.FindStringSubmatch(line)
			return fmt.Sprintf("const {%s} = modules[%q];", strings.ReplaceAll(m[1], " as ", ": "), m[2])
		})
		text = strings.ReplaceAll("\n"+text, "\nexport ", "\n")
		fmt.Fprintf(&out, "modules[%q] = (() => {%s\nreturn { %s };\n})();\n", name, text, strings.Join(names, ", "))
	}
	return out.String(), nil
}

// Write writes the page with a backend: http, or wasm with its runtime and other parts.
func (p *Page) Write(w io.Writer, backend, runtime, parts string) error {
	script, err := bundle(backend)
	if err != nil {
		return err
	}
	data, err := json.Marshal(map[string]any{"page": p, "french": french, "columns": columns, "runs": MaxRuns, "text": MaxText})
	if err != nil {
		return err
	}
	script = "\n" + script
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src " + digest(script)
	if backend == "http" {
		policy += "; connect-src 'self'"
	} else {
		parts += `<script id="runtime">` + runtime + "</script>\n"
		policy += " " + digest(runtime) + " 'wasm-unsafe-eval'; worker-src blob:"
	}
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(p.Title), "{{policy}}", policy, "{{style}}", canvas.CSS()+style, "{{data}}", string(data), // JSON of Go has no <
		"{{parts}}", parts, "{{script}}", script,
	).WriteString(w, frame)
	return err
}

// digest returns the hash of a script for the security policy.
func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Example is a text that the page offers.
type Example struct {
	ID        string `json:"id"`
	Label     string `json:"label"`     // its class; "" if unknown
	Predicted string `json:"predicted"` // the class that the first run predicts, if it is wrong
	Text      string `json:"text"`
	Reference string `json:"reference"` // its translation; "" if there is none
	Data      string `json:"data"`      // the data set that it is from, or like
	Sentence  bool   `json:"sentence"`  // to be translated
}

// shown are reviews of the sample's test split: plain praise, plain blame, one in which only the
// jokes count because it is a comedy, and one with a negation.
var shown = []string{"test/0182", "test/0385", "test/0450", "test/0371"}

// Examples are the texts of a page that has no data set to choose from: reviews of the sample, one
// in everyday words, and a sentence to translate.
func Examples() []Example {
	var out []Example
	_, test := sample.Reviews()
	for _, id := range shown {
		r := test[slices.IndexFunc(test, func(r sample.Review) bool { return r.ID == id })]
		out = append(out, Example{ID: r.ID, Label: [...]string{"neg", "pos"}[r.Label], Text: r.Text, Data: "sample"})
	}
	return append(out,
		Example{ID: "a real review", Data: "imdb", Text: "I expected a great film , and the actors are wonderful . But the story is a mess , " +
			"the dialogue is awful , and in the end it is not worth your time ."},
		Example{ID: "a sentence", Text: "the red carpet", Data: "phrases", Sentence: true})
}

// Offered returns some test reviews of a run's data: for each class one that the run gets right, and one that it gets
// wrong; without predictions, the first one. Of a run that translates they are the first test pairs. dir is the data
// folder.
func Offered(ctx context.Context, dir string, run *runs.Run) (out []Example, err error) {
	if run.Config.Task() == runs.Pairs {
		list, err := run.Translations()
		for _, t := range list[:min(3, len(list))] {
			out = append(out, Example{ID: t.Pair, Text: t.Source, Reference: t.Reference, Data: run.Config.Data.Name, Sentence: true})
		}
		return out, err
	}
	answers, err := run.Predictions()
	if err != nil {
		answers = &runs.Predictions{} // the reviews are offered without the predictions of the run
	}
	list, err := infer.Reviews(ctx, dir, run, typical(answers))
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		label := ""
		if r.Label >= 0 && r.Label < len(run.Config.Classes) {
			label = run.Config.Classes[r.Label]
		}
		review := Example{ID: r.ID, Label: label, Text: r.Text, Data: run.Config.Data.Name}
		if at := slices.IndexFunc(answers.Rows, func(p runs.Prediction) bool { return p.Review == r.ID }); at >= 0 && answers.Rows[at].Predicted != r.Label {
			review.Predicted = run.Config.Classes[answers.Rows[at].Predicted]
		}
		out = append(out, review)
	}
	return out, nil
}

// typical chooses short reviews by the run's predictions, if there are any.
func typical(answers *runs.Predictions) (ids []string) {
	met := map[[2]int]bool{}
	for _, p := range answers.Rows {
		kind := [2]int{p.Label, p.Predicted}
		if p.Label < 0 || met[kind] || len(ids) == 4 || p.Words > infer.StepsWords {
			continue
		}
		met[kind] = true
		ids = append(ids, p.Review)
	}
	return ids
}
