// Package offline writes the page of exp export --page: one file that holds runs, and the
// program that answers questions about texts.
package offline

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// Run is a run of the page.
type Run struct {
	*infer.Trained
	Of     int       // words with a vector before the page's were chosen
	Folder *runs.Run // where its results and curves are read
}

// Page is what the page holds.
type Page struct {
	Title    string
	Version  string // of the program that writes it
	Runs     []Run
	Examples []page.Example // texts to choose from; none: those of page.Examples
}

// kept is what the page holds for comparison: the answers of the server about its runs.
type kept struct {
	Change   page.Change             `json:"change"`
	Models   []string                `json:"models"` // keys of the runs, in the order of the models
	Details  map[string]*page.Detail `json:"details"`
	Searches []page.Figure           `json:"searches"`
}

// Write writes the page.
func (p *Page) Write(w io.Writer, program *Program) error {
	out := page.Page{Title: p.Title, Examples: p.Examples, Tables: []int{}}
	if len(out.Examples) == 0 {
		out.Examples = page.Examples()
	}
	k := kept{Change: page.Change{Version: 1}, Details: map[string]*page.Detail{}}
	var parts parts
	var list []*page.Entry
	tables := map[[sha256.Size]byte]int{}
	for i, r := range p.Runs {
		table, err := parts.model(i, &r, tables)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Label(), err)
		}
		out.Tables = append(out.Tables, table)
		e := page.NewEntry(r.Folder.Path, r.Folder, nil)
		if words := r.words(); words < r.Of && !r.Config.Counts() {
			e.Row.Settings += fmt.Sprintf(", %s of %s words", format.Thousands(words), format.Thousands(r.Of))
		}
		k.Models, list = append(k.Models, e.Row.Key), append(list, e)
	}
	lines := page.Group(list)
	for _, e := range lines {
		k.Change.Order = append(k.Change.Order, e.Row.Key)
	}
	for _, e := range slices.Concat(list, lines) {
		if key := e.Row.Key; k.Details[key] == nil {
			k.Change.Rows, k.Details[key] = append(k.Change.Rows, e.Row), e.Detail()
		}
	}
	out.Notes = p.notes()
	var err error
	if k.Searches, err = page.Searches(list); err != nil {
		return err
	}
	b, err := json.Marshal(k)
	if err = errors.Join(err, parts.part("kept", b)); err != nil {
		return err
	}
	parts.packed("wasm", program.Wasm)
	return out.Write(w, "wasm", string(program.Script), parts.String())
}

// words returns how many words the page has of a run.
func (r *Run) words() int {
	if r.Languages != nil {
		return len(r.Languages.Source)
	}
	return len(r.Table.Words) - 1
}

// notes say what a reader has to know about the page.
func (p *Page) notes() []string {
	counts := false
	var cut []string
	for _, r := range p.Runs {
		counts = counts || r.Config.Counts()
		if r.words() < r.Of && !r.Config.Counts() {
			cut = append(cut, r.Label())
		}
	}
	same := "exp predict and exp attend print"
	if len(cut) > 0 {
		same += " for texts whose words are all in the page"
	}
	out := []string{fmt.Sprintf("This page works without a network: your browser computes everything, with the code of exp (%s) compiled to WebAssembly. "+
		"The numbers are those that %s, to the last bit. A citation names the settings, data and numbers of a run; exp reproduce CITATION trains the run again.", p.Version, same)}
	if len(cut) > 0 {
		out = append(out, fmt.Sprintf("To keep the page small, it omits the rarer words of %s: the page has no vector for them. It has all words of the texts that it offers.", strings.Join(cut, ", ")))
	}
	if counts {
		out = append(out, "A bag-of-n-grams model has no attention. Its score is a sum, and each word is shaded by what its n-grams add to the sum. The page has the n-grams that change scores most.")
	}
	if p.Runs[0].Languages == nil {
		out = append(out, "Attention shows which words a model reads most. They need not be the reason for its prediction.")
	}
	return out
}

// parts are elements of the page that hold bytes.
type parts struct{ strings.Builder }

// part adds bytes, compressed.
func (p *parts) part(id string, b []byte) error {
	z, err := packed(b)
	if err == nil {
		p.packed(id, z)
	}
	return err
}

func (p *parts) packed(id string, z []byte) {
	fmt.Fprintf(p, "<script type=\"application/octet-stream\" id=\"%s\">%s</script>\n", id, base64.StdEncoding.EncodeToString(z))
}

// model adds model i, and its table of words unless an earlier run has the same. It returns the
// number of the table.
func (p *parts) model(i int, r *Run, tables map[[sha256.Size]byte]int) (table int, err error) {
	model := r.Trained
	if r.Languages == nil {
		var words []byte
		if model, words, err = r.SplitTable(); err != nil {
			return 0, err
		}
		sum, known := sha256.Sum256(words), false
		if table, known = tables[sum]; !known {
			table = len(tables)
			tables[sum] = table
			if err := p.part(fmt.Sprintf("table%d", table), words); err != nil {
				return 0, err
			}
		}
	}
	var b bytes.Buffer
	if err := model.Write(&b); err != nil {
		return 0, err
	}
	return table, p.part(fmt.Sprintf("model%d", i), b.Bytes())
}
