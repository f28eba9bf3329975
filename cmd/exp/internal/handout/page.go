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
	"imdbexp/report/canvas"
)

// Run is a run as the page has it.
type Run struct {
	*infer.Trained
	About    string // its settings, for people
	Citation string // "" of a run that has none
	Of       int    // words with a vector before the page's were chosen
}

// Review is a text that the page offers.
type Review struct {
	ID    string `json:"id"`
	Label string `json:"label"` // its class; "" where that is not known
	Text  string `json:"text"`
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
}

//go:embed page.html assets
var own embed.FS

// modules are the scripts of the page, each behind those that it needs.
var modules = []string{"dom.js", "matrix.js", "steps.js", "show.js", "page.js"}

// Write writes the page.
func (p *Page) Write(w io.Writer, program *Program) error {
	frame, err := own.ReadFile("page.html")
	if err != nil {
		return err
	}
	shared, err1 := ask.Assets.ReadFile("assets/style.css")
	style, err2 := own.ReadFile("assets/page.css")
	script, err3 := bundle()
	parts, err4 := p.parts()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	parts.part("wasm", program.Wasm)
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(p.Title),
		"{{style}}", canvas.CSS()+string(shared)+string(style),
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

// parts returns the facts, the models, and each table of words once.
func (p *Page) parts() (*parts, error) {
	out, list, tables := &parts{}, []facts{}, map[[sha256.Size]byte]int{}
	for i, r := range p.Runs {
		model, words := r.Apart()
		var b bytes.Buffer
		sum, err := infer.WriteTable(&b, words)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Label(), err)
		}
		table, known := tables[sum]
		if !known {
			table = len(tables)
			tables[sum] = table
			z, err := packed(b.Bytes())
			if err != nil {
				return nil, err
			}
			out.part(fmt.Sprintf("table%d", table), z)
		}
		b.Reset()
		if err := model.Write(&b); err != nil {
			return nil, err
		}
		z, err := packed(b.Bytes())
		if err != nil {
			return nil, err
		}
		out.part(fmt.Sprintf("model%d", i), z)
		f := facts{Label: r.Label(), About: r.About, Citation: r.Citation, Data: r.Config.Data.Name, Words: len(words.Words) - 1, Of: r.Of, Table: table, Masked: r.Config.Setting("oov") == "masked",
			Batch: r.Config.Setting("slip.pad") == "true" || r.Config.Setting("slip.batch_slot_norm") == "true"}
		if r.Metrics != nil {
			f.Accuracy = r.Metrics.TestAcc
		}
		list = append(list, f)
	}
	b, err := json.Marshal(map[string]any{"version": p.Version, "runs": list, "reviews": append([]Review{}, p.Reviews...), "tables": len(tables)})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "<script type=\"application/json\" id=\"page\">%s</script>\n", b) // JSON of Go has no <
	return out, nil
}
