// Package page is the page of exp serve and of exp export --page: its HTML, styles and
// scripts, and what it shows of runs. The scripts reach the program through one module,
// backend.js: http.js asks the server, wasm.js a program within the page.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"imdbexp/report/canvas"
)

// Limits of what a page shows and asks.
const (
	MaxRuns = 8      // asked at once, and with a colour of their own: as many as there are distinct ones
	MaxText = 20_000 // characters; the longest review of IMDB has 13 704
)

// Page is what the scripts know when they start.
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

// digest is a script in a security policy.
func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
