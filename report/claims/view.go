package claims

import (
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

// Checked is a claim with the verdicts of the runs.
type Checked struct {
	Claim
	Verdicts []VariantVerdict // original, then default
}

// VariantVerdict is the verdict on one variant.
type VariantVerdict struct {
	Variant string
	Verdict Verdict
	Numbers string     // the evidence as text
	Missing [][]string // commands of exp that would add missing runs, as words
}

// List is all claims, checked.
type List []Checked

// Check checks every claim on the runs, separately for originals and defaults. Only finished runs
// on the full IMDB with GloVe vectors count, because the report is about these. Claims about
// explanations use results of exp explain on the same runs. The error joins what could not be
// read; the list is complete in any case.
func Check(list []*runs.Run, results ...Explained) (List, error) {
	out := make(List, len(claims))
	var errs []error
	for _, v := range report.Variants {
		e := newEvidence(list, results, v)
		for i, c := range claims {
			out[i].Claim = c
			if c.only == "" || c.only == v {
				out[i].Verdicts = append(out[i].Verdicts, c.on(e))
			}
		}
		errs = append(errs, e.errs...)
	}
	return out, errors.Join(errs...)
}

// on checks the claim on one variant.
func (c Claim) on(e *evidence) (v VariantVerdict) {
	check := c.check
	if e.variant == "original" && c.original != nil {
		check = c.original
	}
	e.missing, e.unexplained = nil, nil
	defer func() {
		if u, ok := recover().(unread); ok {
			v = VariantVerdict{Variant: e.variant, Verdict: NotRun, Numbers: "cannot be read: " + strings.ReplaceAll(u.Error(), "\n", " ")}
		}
		if len(e.missing)+len(e.unexplained) > 0 {
			v.Verdict, v.Missing = NotRun, append(commands(e.missing, e.variant), e.unexplained...)
		}
	}()
	f := check(e)
	return VariantVerdict{Variant: e.variant, Verdict: f.verdict, Numbers: f.numbers}
}

// commands returns the commands that train rows.
func commands(rows []rowOf, variant string) (out [][]string) {
	for _, r := range rows {
		words := []string{"run", r.name}
		if r.optimizer != "" {
			words = append(words, "optimizer="+r.optimizer)
		}
		if variant != "default" {
			words = append(words, "variant="+variant)
		}
		out = append(out, append(words, r.settings...))
	}
	return out
}

// Shown is claims with a function that writes a command for the user.
type Shown struct {
	Claims  List
	Command func(words ...string) string
}

const claimsTitle = "The report's claims, checked on finished runs on the full IMDB with GloVe"

// claimsKeys explains the verdicts.
const claimsKeys = "--explained DIR reads what exp explain --out DIR has written. Verdicts use the 95 % intervals in brackets; those of differences in accuracy are computed as in exp compare. They are not adjusted for the number of claims. With one run on each side the interval covers other reviews only; a side with one seed says nothing about its other seeds."

// Text writes a paragraph for each claim that runs say something about, and a line for each other
// one, at most width columns wide (0: no limit), in colour or not.
func (s Shown) Text(w io.Writer, width int, color bool) error {
	var out strings.Builder
	write := func(style term.Style, text, indent string) {
		out.WriteString(term.Lines(color, style, term.Wrap(text, width, indent[2:], indent)) + "\n")
	}
	commands := func(v VariantVerdict) {
		for _, words := range v.Missing {
			out.WriteString("    " + s.Command(words...) + "\n")
		}
	}
	out.WriteString(term.Lines(color, term.Bold, term.Wrap(claimsTitle, width, "", "")) + "\n")
	var open List
	for _, c := range s.Claims {
		if !slices.ContainsFunc(c.Verdicts, func(v VariantVerdict) bool { return v.Verdict != NotRun }) {
			open = append(open, c)
			continue
		}
		out.WriteString("\n")
		write(term.Bold, fmt.Sprintf("%s: “%s”", c.Section, c.Quote), "  ")
		write(term.Dim, "rule: "+c.Rule, "    ")
		for _, v := range c.Verdicts {
			verdict := "  " + v.Variant + ": " + string(v.Verdict)
			text := term.Wrap(strings.TrimSuffix(verdict[2:]+". "+v.Numbers, ". "), width, "  ", "    ")
			if rest, ok := strings.CutPrefix(text, verdict); ok {
				text = fmt.Sprintf("  %s: %s", v.Variant, term.Lines(color, term.Bold, string(v.Verdict))) + rest
			}
			out.WriteString(text + "\n")
			commands(v)
		}
	}
	if len(open) > 0 {
		out.WriteString("\n" + term.Lines(color, term.Bold, "Not run yet") + "\n")
		for _, c := range open {
			out.WriteString(term.Wrap(fmt.Sprintf("%s: “%s”", c.Section, c.Quote), width, "", "  ") + "\n")
		}
		out.WriteString("\n" + term.Wrap("--format csv has the rules of these, and the commands that train their runs; for the first:", width, "", "") + "\n")
		for _, v := range open[0].Verdicts {
			commands(v)
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
	for _, v := range []struct {
		Verdict
		plural string
	}{{Holds, "hold"}, {Fails, "fail"}, {Undecided, "undecided"}, {NotRun, "not run yet"}} {
		if n := count[v.Verdict]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, v.plural))
		}
	}
	return fmt.Sprintf("%s: %s.", variant, strings.Join(out, ", "))
}

// Markdown writes a table with a row for each claim and variant.
func (s Shown) Markdown(w io.Writer) error { return s.view().Markdown(w) }

// LaTeX writes the same as a table of booktabs.
func (s Shown) LaTeX(w io.Writer) error { return s.view().LaTeX(w) }

func (s Shown) view() render.View {
	t := render.NewTable("", render.Words("section", 0), render.Words("claim", 0), render.Words("counts as true when", 0),
		render.Words("variant", 0), render.Words("verdict", 0), render.Words("evidence", 0))
	for _, c := range s.Claims {
		section, quote, rule := c.Section, "“"+c.Quote+"”", c.Rule
		for _, v := range c.Verdicts {
			evidence := v.Numbers
			for _, words := range v.Missing {
				evidence = strings.TrimPrefix(evidence+"; "+s.Command(words...), "; ")
			}
			t.Add(section, quote, rule, v.Variant, string(v.Verdict), evidence)
			section, quote, rule = "", "", ""
		}
	}
	keys := func([]string) string { return claimsKeys }
	return render.View{Sections: []render.Section{{Title: claimsTitle, Tables: []*term.Table{t}, Keys: keys}}}
}

// Records returns a record for each claim and variant.
func (s Shown) Records() term.Records {
	out := term.Records{{"section", "claim", "rule", "variant", "verdict", "evidence", "commands"}}
	for _, c := range s.Claims {
		for _, v := range c.Verdicts {
			lines := report.Each(v.Missing, func(words []string) string { return s.Command(words...) })
			out = append(out, []string{c.Section, c.Quote, c.Rule, v.Variant, string(v.Verdict), v.Numbers, strings.Join(lines, "\n")})
		}
	}
	return out
}
