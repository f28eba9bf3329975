// Package offline writes the page of exp export --page: one file that holds runs, and the
// program that answers questions about texts.
package offline

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	Of     int       // number of words with a vector in the run
	Folder *runs.Run // where its results and curves are read
}

// Page is the content of the page.
type Page struct {
	Title    string
	Version  string // of the program that writes it
	Runs     []Run
	Examples []page.Example // texts to choose from; none: those of page.Examples
}

// kept is the comparison in the page: the answers of the server about its runs.
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

// words returns the number of words of a run in the page.
func (r *Run) words() int {
	if r.Languages != nil {
		return len(r.Languages.Source)
	}
	return len(r.Table.Words) - 1
}

// notes returns the notes on the page.
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

// Program is the program that answers questions, compiled for browsers.
type Program struct {
	Wasm   []byte // WebAssembly, compressed by gzip
	Script []byte // wasm_exec.js of Go, which starts it
}

// Files of a program in the folder built, which a build with -tags page embeds.
const (
	WasmFile   = "exp.wasm.gz"
	ScriptFile = "wasm_exec.js"
)

const command = "imdbexp/cmd/exp/internal/web/offline/wasm"

// ErrNoProgram is the error if the program is not built in and cannot be built.
var ErrNoProgram = errors.New("the page needs exp as WebAssembly: it is not built into this exp, and there is no checkout to build it from: " +
	"use a release, or run the command in a checkout with Go installed")

// Find returns the program that is built in. Otherwise it builds the program from the checkout that
// the working folder is in, or that this exp was compiled from.
func Find(ctx context.Context) (*Program, error) {
	if p, err := builtIn(); p != nil || err != nil {
		return p, err
	}
	_, file, _, _ := runtime.Caller(0) // no folder in a build with -trimpath
	for _, dir := range []string{".", filepath.Dir(file)} {
		if _, err := tool(ctx, dir, "list", command); err == nil {
			return Build(ctx, dir)
		}
	}
	return nil, errors.Join(ctx.Err(), ErrNoProgram)
}

// tool runs Go for the browser's platform in a checkout.
func tool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// Build compiles the program from a checkout. Go caches the result, so a second page takes seconds.
func Build(ctx context.Context, root string) (*Program, error) {
	dir, err := os.MkdirTemp("", "exp-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "exp.wasm")
	if _, err := tool(ctx, root, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, command); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	goRoot, err := tool(ctx, root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(goRoot, "lib", "wasm", ScriptFile))
	if err != nil {
		return nil, fmt.Errorf("this installation of Go lacks the file that starts WebAssembly: %w", err)
	}
	z, err := packed(wasm)
	return &Program{z, script}, err
}

// packed compresses bytes, always to the same result.
func packed(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(b); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}
