package claims

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs"
)

// Checked is a claim with what the runs of each variant say.
type Checked struct {
	Claim
	Verdicts []VariantVerdict // original, then default
}

// VariantVerdict is the verdict on one variant.
type VariantVerdict struct {
	Variant string
	Verdict Verdict
	Numbers string     // the evidence, in words
	Missing [][]string // words for exp that would run what is missing, a command each
}

// List are all claims, checked.
type List []Checked

// Check checks every claim on the runs. Only finished runs on the full IMDB
// with GloVe vectors count, of which the report speaks; the originals and the
// defaults have verdicts of their own. Claims about what explains go by what exp explain
// has found on these runs. The error tells what could not be read; the
// claims are whole whatever it says.
func Check(list []*runs.Run, told ...Explained) (List, error) {
	var out List
	found := map[string]*evidence{}
	for _, v := range report.Variants {
		found[v] = newEvidence(list, told, v)
	}
	for _, c := range claims {
		checked := Checked{Claim: c}
		for _, v := range report.Variants {
			if c.only == "" || c.only == v {
				checked.Verdicts = append(checked.Verdicts, c.on(found[v]))
			}
		}
		out = append(out, checked)
	}
	var errs []error
	for _, v := range report.Variants {
		errs = append(errs, found[v].errs...)
	}
	return out, errors.Join(errs...)
}

// on checks the claim on one variant.
func (c Claim) on(e *evidence) VariantVerdict {
	check := c.check[e.variant]
	if check == nil {
		check = c.check[""]
	}
	e.missing, e.untold = nil, nil
	f := check(e)
	v := VariantVerdict{Variant: e.variant, Verdict: f.verdict, Numbers: f.numbers}
	if len(e.missing)+len(e.untold) > 0 {
		v.Verdict, v.Missing = NotRun, append(commands(e.missing, e.variant), e.untold...)
	}
	return v
}

// commands joins rows that differ by their experiment alone, and those that differ
// by the value of their one setting.
func commands(rows []rowOf, variant string) [][]string {
	var out [][]string
	var tails []string
	for i := 0; i < len(rows); i++ {
		r := rows[i]
		for i+1 < len(rows) && sameKey(r, rows[i+1]) {
			_, value, _ := strings.Cut(rows[i+1].settings[0], "=")
			r.settings = []string{r.settings[0] + "," + value}
			i++
		}
		tail := []string{"optimizer=" + r.optimizer}
		if variant != "default" {
			tail = append(tail, "variant="+variant)
		}
		tail = append(tail, r.settings...)
		key := strings.Join(tail, " ")
		if i := slices.Index(tails, key); i >= 0 {
			at := len(out[i]) - len(tail)
			out[i] = slices.Insert(out[i], at, r.name)
			continue
		}
		out, tails = append(out, append([]string{"run", r.name}, tail...)), append(tails, key)
	}
	return out
}

// sameKey reports whether two rows differ by the value of their one setting.
func sameKey(a, b rowOf) bool {
	if a.name != b.name || a.optimizer != b.optimizer || len(a.settings) != 1 || len(b.settings) != 1 {
		return false
	}
	x, _, _ := strings.Cut(a.settings[0], "=")
	y, _, _ := strings.Cut(b.settings[0], "=")
	return x == y
}

// Shown is claims with the way to write a command for people.
type Shown struct {
	Claims  List
	Command func(words ...string) string
}

const claimsTitle = "The report's claims, checked on finished runs on the full IMDB with GloVe"

// claimsKeys says what verdicts go by: the same intervals as exp compare shows.
const claimsKeys = "What exp explain keeps in the folder of its --out is read by --explained. Verdicts go by the 95 % intervals in brackets, those of differences in accuracy as of exp compare: each claim alone, not corrected for the number of claims. Of one run each they are over the reviews alone, and of a side with one seed they know none of its others."

// Text writes a paragraph a claim, at most width columns wide (0: as wide as it
// gets), in colour or not.
func (s Shown) Text(w io.Writer, width int, color bool) error {
	if width > 0 {
		width = max(width, render.Narrowest)
	}
	p := render.Paint(color)
	var out strings.Builder
	out.WriteString(p.Lines(render.Bold, term.Wrap(claimsTitle, width, "", "")+"\n"))
	for _, c := range s.Claims {
		out.WriteString("\n" + p.Lines(render.Bold, term.Wrap(fmt.Sprintf("%s: “%s”", c.Section, c.Quote), width, "", "  ")+"\n"))
		out.WriteString(p.Lines(render.Dim, indented("rule: "+c.Rule, width)))
		for _, v := range c.Verdicts {
			line := fmt.Sprintf("%s: %s", v.Variant, v.Verdict)
			if v.Numbers != "" {
				line += ". " + v.Numbers
			}
			text := indented(line, width)
			head := fmt.Sprintf("  %s: %s", v.Variant, v.Verdict)
			if rest, ok := strings.CutPrefix(text, head); ok {
				text = fmt.Sprintf("  %s: %s", v.Variant, p.Set(render.Bold, string(v.Verdict))) + rest
			}
			out.WriteString(text)
			for _, words := range v.Missing {
				out.WriteString("    " + s.Command(words...) + "\n")
			}
		}
	}
	out.WriteString("\n")
	for _, v := range report.Variants {
		out.WriteString(term.Wrap(s.Claims.sum(v), width, "", "  ") + "\n")
	}
	out.WriteString(term.Wrap(claimsKeys, width, "", "  ") + "\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// sum counts the verdicts on a variant.
func (c List) sum(variant string) string {
	count := map[Verdict]int{}
	for _, x := range c {
		for _, v := range x.Verdicts {
			if v.Variant == variant {
				count[v.Verdict]++
			}
		}
	}
	var out []string
	for _, v := range []Verdict{Holds, Fails, Undecided, NotRun} {
		if n := count[v]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, map[Verdict]string{Holds: "hold", Fails: "fail", Undecided: "undecided", NotRun: "not run yet"}[v]))
		}
	}
	return fmt.Sprintf("%s: %s.", variant, strings.Join(out, ", "))
}

// indented wraps a text behind two columns, further lines behind four.
func indented(text string, width int) string {
	if width > 0 {
		width -= 2
	}
	return "  " + strings.TrimSuffix(strings.ReplaceAll(term.Wrap(text, width, "", "  ")+"\n", "\n", "\n  "), "  ")
}

// Markdown writes a table with a row for each claim and variant.
func (s Shown) Markdown(w io.Writer) error {
	t := &render.Table{Columns: []render.Column{{Head: "section", Left: true}, {Head: "claim", Left: true}, {Head: "counts as true when", Left: true},
		{Head: "variant", Left: true}, {Head: "verdict", Left: true}, {Head: "evidence", Left: true}}}
	for _, c := range s.Claims {
		section, quote, rule := c.Section, "“"+c.Quote+"”", c.Rule
		for _, v := range c.Verdicts {
			evidence := v.Numbers
			for _, words := range v.Missing {
				evidence = strings.TrimPrefix(evidence+"; "+s.Command(words...), "; ")
			}
			t.Add(render.Entry{Text: section}, render.Entry{Text: quote}, render.Entry{Text: rule}, render.Entry{Text: v.Variant}, render.Entry{Text: string(v.Verdict)}, render.Entry{Text: evidence})
			section, quote, rule = "", "", ""
		}
	}
	return render.Sheet{Title: claimsTitle, Table: t, Keys: claimsKeys}.Markdown(w)
}

// CSV writes a line for each claim and variant.
func (s Shown) CSV(w io.Writer) error {
	out := [][]string{{"section", "claim", "rule", "variant", "verdict", "evidence", "commands"}}
	for _, c := range s.Claims {
		for _, v := range c.Verdicts {
			var lines []string
			for _, words := range v.Missing {
				lines = append(lines, s.Command(words...))
			}
			out = append(out, []string{c.Section, c.Quote, c.Rule, v.Variant, string(v.Verdict), v.Numbers, strings.Join(lines, "\n")})
		}
	}
	return csv.NewWriter(w).WriteAll(out)
}
