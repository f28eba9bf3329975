// Package handout writes one page that holds runs and the program that asks them.
package handout

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// Run is a run as the page has it.
type Run struct {
	*infer.Trained
	About    string // its settings, for people
	Citation string // "" of a run that has none
	Of       int    // words with a vector before the page's were chosen

	Folder *runs.Run // its results and curves; nil: it is not compared
}

// Review is a text that the page offers.
type Review struct {
	ID    string `json:"id"`
	Label string `json:"label"` // its class; "" where that is not known
	Taken string `json:"taken"` // the other one, for which the first run took it; "" where it is right
	Text  string `json:"text"`

	Reference string `json:"reference"` // its translation; "" where there is none
}

// Page is what the page holds.
type Page struct {
	Title   string
	Version string // of the program that writes it
	Runs    []Run
	Reviews []Review
}

// facts are those of a run that the page tells.
type facts struct {
	Label    string   `json:"label"`
	About    string   `json:"about"`
	Citation string   `json:"citation"`
	Accuracy *float64 `json:"accuracy"` // on test, in percent; null where it is not known
	Data     string   `json:"data"`
	Words    int      `json:"words"`
	Of       int      `json:"of"`
	Table    int      `json:"table"`
	Masked   bool     `json:"masked"` // words without a vector are left out
	Batch    bool     `json:"batch"`  // what it says depends on the other texts of a batch

	Counts     bool     `json:"counts"` // n-grams, and has no word vectors
	Translates bool     `json:"translates"`
	Exact      *float64 `json:"exact"` // share of test that it translates right, in percent
}

//go:embed page.html assets
var own embed.FS

// modules are the scripts of the page, each behind those that it needs.
var modules = []string{"dom.js", "text.js", "matrix.js", "steps.js", "translation.js", "show.js", "answers.js", "axes.js", "lines.js", "curves.js", "ridges.js", "compare.js", "beside.js", "train.js", "worker.js", "page.js"}

// Write writes the page.
func (p *Page) Write(w io.Writer, program *Program) error {
	frame, err := own.ReadFile("page.html")
	if err != nil {
		return err
	}
	style := canvas.CSS()
	for _, name := range []string{"style.css", "answers.css", "train.css"} {
		b, err := ask.Assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		style += string(b)
	}
	more, err1 := own.ReadFile("assets/page.css")
	training, err2 := ask.Assets.ReadFile("assets/train.html")
	script, err3 := bundle()
	parts, err4 := p.parts()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	parts.part("wasm", program.Wasm)
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(p.Title),
		"{{style}}", style+string(more),
		"{{train}}", string(training),
		"{{parts}}", parts.String(),
		"{{go}}", string(program.Script),
		"{{script}}", script,
	).WriteString(w, string(frame))
	return err
}

// parts are elements of the page that hold bytes.
type parts struct{ strings.Builder }

func (p *parts) part(id string, b []byte) {
	fmt.Fprintf(p, "<script type=\"application/octet-stream\" id=\"%s\">%s</script>\n", id, base64.StdEncoding.EncodeToString(b))
}

// table adds a table of words, if it is not there yet, and returns its number.
func (p *parts) table(known map[[sha256.Size]byte]int, words *runs.Table) (int, error) {
	var b bytes.Buffer
	sum, err := infer.WriteTable(&b, words)
	if err != nil {
		return 0, err
	}
	if at, is := known[sum]; is {
		return at, nil
	}
	z, err := packed(b.Bytes())
	if err != nil {
		return 0, err
	}
	at := len(known)
	known[sum] = at
	p.part(fmt.Sprintf("table%d", at), z)
	return at, nil
}

func (r *Run) facts() (facts, error) {
	batch, err := r.BatchDependent()
	f := facts{Batch: batch, Label: r.Label(), About: r.About, Citation: r.Citation, Data: r.Config.Data.Name, Of: r.Of, Counts: r.Config.Counts(), Translates: r.Languages != nil}
	if f.Translates {
		f.Words = len(r.Languages.Source)
	} else {
		f.Words, f.Masked = len(r.Table.Words)-1, r.Config.Setting("oov") == "masked"
	}
	if r.Metrics != nil {
		f.Accuracy, f.Exact = r.Metrics.TestAcc, r.Metrics.TestExact
	}
	return f, err
}

// model adds the run's model, and its table of words if it is not there yet, and returns its facts.
func (p *parts) model(i int, r *Run, tables map[[sha256.Size]byte]int) (facts, error) {
	f, err := r.facts()
	if err != nil {
		return f, err
	}
	model := r.Trained
	if r.Languages == nil {
		var words *runs.Table
		model, words = r.Apart()
		if f.Table, err = p.table(tables, words); err != nil {
			return f, err
		}
	}
	var b bytes.Buffer
	if err := model.Write(&b); err != nil {
		return f, err
	}
	z, err := packed(b.Bytes())
	if err != nil {
		return f, err
	}
	p.part(fmt.Sprintf("model%d", i), z)
	return f, nil
}

// beside adds what is kept of the runs to compare them, and tells whether there is any.
func (p *Page) beside(out *parts) (bool, error) {
	var list []*runs.Run
	for _, r := range p.Runs {
		if r.Folder != nil {
			list = append(list, r.Folder)
		}
	}
	if len(list) == 0 {
		return false, nil
	}
	kept, err := beside.Keep(list)
	if err != nil {
		return false, err
	}
	b, err := json.Marshal(kept)
	if err != nil {
		return false, err
	}
	z, err := packed(b)
	out.part("beside", z)
	return true, err
}

// parts returns the facts, the models, and each table of words once.
func (p *Page) parts() (*parts, error) {
	out, list, tables := &parts{}, []facts{}, map[[sha256.Size]byte]int{}
	for i := range p.Runs {
		r := &p.Runs[i]
		f, err := out.model(i, r, tables)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Label(), err)
		}
		list = append(list, f)
	}
	compared, err := p.beside(out)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(map[string]any{"compared": compared, "version": p.Version, "runs": list, "reviews": append([]Review{}, p.Reviews...), "tables": len(tables)})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "<script type=\"application/json\" id=\"page\">%s</script>\n", b) // JSON of Go has no <
	return out, nil
}
