package page

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// formulas are the inline parser of mathematics between dollar signs, as pandoc and Quarto have it: no white space
// inside next to the signs, and no digit behind them, so that prices stay. A page without scripts cannot typeset them; it
// shows them with raised and lowered parts, Greek letters and common signs.
type formulas struct{}

var mathematics = regexp.MustCompile(`(?s)\A(?:\$\$(.+?)\$\$|\$([^\s$](?:[^$]*?[^\s$\\])?)\$(?:\D|\z))`)

func (formulas) Trigger() []byte { return []byte("$") }

func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, at := block.Position()
	var b strings.Builder // the rest of the paragraph: a formula may have several lines
	for {
		part, _ := block.PeekLine()
		if part == nil {
			break
		}
		b.Write(part)
		block.AdvanceLine()
	}
	block.SetPosition(line, at)
	m := mathematics.FindStringSubmatch(b.String())
	if m == nil || len(m[0]) > maxFormula {
		return nil
	}
	written, class := 2+len(m[2]), "math"
	if m[1] != "" {
		written, class = 4+len(m[1]), "math display"
	}
	for lines := strings.Count(b.String()[:written], "\n"); lines > 0; lines-- {
		rest, _ := block.PeekLine()
		written -= len(rest)
		block.AdvanceLine()
	}
	block.Advance(written)
	x := tex{m[1] + m[2]}
	s := ast.NewString([]byte(`<span class="` + class + `">` + x.list() + "</span>"))
	s.SetCode(true) // written as it is
	return s
}

// tex reads a formula.
type tex struct{ rest string }

var token = regexp.MustCompile(`(?s)\A(?:\\[A-Za-z]+\s*|\\.|[A-Za-z]+|\s+|.)`)

// list returns the HTML of what comes before the next closing brace.
func (x *tex) list() string {
	var out strings.Builder
	for x.rest != "" && !strings.HasPrefix(x.rest, "}") {
		out.WriteString(x.one())
	}
	x.rest = strings.TrimPrefix(x.rest, "}")
	return out.String()
}

// one returns the HTML of the next letters, sign, command or group.
func (x *tex) one() string {
	t := token.FindString(x.rest)
	x.rest = x.rest[len(t):]
	switch t {
	case "{":
		return x.list()
	case "^":
		return "<sup>" + x.argument() + "</sup>"
	case "_":
		return "<sub>" + x.argument() + "</sub>"
	case "-":
		return "−"
	}
	if !strings.HasPrefix(t, `\`) {
		if strings.ContainsAny(t, letters) {
			return "<i>" + t + "</i>"
		}
		return html.EscapeString(t)
	}
	name := strings.TrimSpace(t[1:])
	sign, known := signs[name]
	switch {
	case name == "frac":
		return "(" + x.argument() + ")/(" + x.argument() + ")"
	case name == "sqrt":
		return "√(" + x.argument() + ")"
	case strings.Contains(" text mathrm mathbf operatorname ", " "+name+" "):
		return strings.NewReplacer("<i>", "", "</i>", "").Replace(x.argument())
	case marks[name] != "":
		letter, italic := strings.CutSuffix(x.argument(), "</i>")
		return letter + marks[name] + map[bool]string{true: "</i>"}[italic]
	case known:
		return sign + t[1+len(name):] // white space behind a command
	case strings.Contains(" log exp ln max min tanh sin cos softmax ", " "+name+" "):
		return name + " "
	}
	return html.EscapeString(t) // as it is
}

// argument returns the HTML of a group, or of the next single letter, digit or command.
func (x *tex) argument() string {
	x.rest = strings.TrimLeft(x.rest, " \n")
	if x.rest == "" {
		return ""
	}
	if first, size := utf8.DecodeRuneInString(x.rest); first != '{' && first != '\\' {
		one := tex{x.rest[:size]}
		x.rest = x.rest[size:]
		return one.one()
	}
	return x.one()
}

const maxFormula = 2000 // bytes; a longer one stays as it is

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// marks are written above a letter.
var marks = map[string]string{"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "vec": "\u20d7"}

var signs = map[string]string{"left": "", "right": "", ",": " ", ";": " ", "quad": " ", "{": "{", "}": "}", "%": "%", "$": "$", "_": "_", "\\": "<br>"}

func init() {
	const list = "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω " +
		"Gamma Γ Delta Δ Theta Θ Lambda Λ Sigma Σ Phi Φ Psi Ψ Omega Ω sum ∑ prod ∏ int ∫ partial ∂ nabla ∇ infty ∞ pm ± times × cdot · le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ sim ∼ equiv ≡ " +
		"in ∈ subset ⊂ cup ∪ cap ∩ to → rightarrow → mid | ldots … cdots ⋯ dots … top ⊤ ell ℓ propto ∝ odot ⊙ circ ∘ ll ≪ gg ≫"
	words := strings.Fields(list)
	for i := 0; i < len(words); i += 2 {
		signs[words[i]] = words[i+1]
	}
}
