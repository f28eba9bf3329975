// Package claims checks the published report against our runs. Each claim is a sentence of
// the report with a rule that is evaluated on runs.
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

// Claim is a sentence of the published report, or of another paper, checked on runs.
type Claim struct {
	Section string // of the report, or the paper with its section
	Quote   string // in English
	Rule    string // when the claim counts as true, in words
	only    string // the only variant it can be checked on; "" for both

	check, original rule // original, if not nil, checks the published code
}

// The rows used by the claims.
var (
	meanAdam, meanSGD     = rowOf{"tme9-mean", "adam", nil}, rowOf{"tme9-mean", "sgd", nil}
	simpleAdam, simpleSGD = rowOf{"tme9-simple", "adam", nil}, rowOf{"tme9-simple", "sgd", nil}
	queryAdam             = rowOf{"tme9-query", "adam", nil}
	valuesAdam, valuesSGD = rowOf{"tme9-values", "adam", nil}, rowOf{"tme9-values", "sgd", nil}
	lstmAdam, lstmSGD     = rowOf{"tme9-lstm", "adam", nil}, rowOf{"tme9-lstm", "sgd", nil}
	biLSTMSGD             = rowOf{"tme9-bilstm", "sgd", nil}
	entropySGD            = rowOf{"tme9-entropy", "sgd", nil}
	additiveAdam          = rowOf{"additive", "adam", nil}
	selfAdam              = rowOf{"tme10-self", "adam", nil}
	peAdam, peSGD         = rowOf{"tme10-pe", "adam", nil}, rowOf{"tme10-pe", "sgd", nil}
	clsAdam, clsPEAdam    = rowOf{"tme10-cls", "adam", nil}, rowOf{"tme10-cls-pe", "adam", nil}
)

// claims holds all claims. Their thresholds are in evidence.go.
var claims = slices.Concat(ofReport, ofDebate, ofPairs)

// ofReport holds the claims of the report, TME 9 before TME 10, in the order of its sections.
var ofReport = []Claim{
	{Section: "TME 9, 1.1", Quote: "The mean model does not overfit.",
		Rule:  "no overfitting with Adam and SGD: train accuracy less than 2 points above test, test loss at most 0.02 above its minimum",
		check: all(not(overfits(meanAdam)), not(overfits(meanSGD)))},
	{Section: "TME 9, 1.2", Quote: "Attention gains five points over the mean.",
		Rule:  "tme9-simple is at least 4.5 points (five, rounded) above tme9-mean, with Adam and SGD",
		check: all(gains(meanAdam, simpleAdam, fivePoints), gains(meanSGD, simpleSGD, fivePoints))},
	{Section: "TME 9, 1.2", Quote: "Simple attention does not overfit.",
		Rule:  "no overfitting with Adam and SGD",
		check: all(not(overfits(simpleAdam)), not(overfits(simpleSGD)))},
	{Section: "TME 9, 1.2–1.4", Quote: "With SGD the entropies fall during training.",
		Rule:  "mean test entropy after the last epoch at least 0.1 nats below that after the first: simple, values, LSTM",
		check: all(entropyFalls(simpleSGD), entropyFalls(valuesSGD), entropyFalls(lstmSGD))},
	{Section: "TME 9, remark", Quote: "With Adam they tend to rise.",
		Rule:  "at least 0.1 nats above: simple, values, LSTM",
		check: all(entropyRises(simpleAdam), entropyRises(valuesAdam), entropyRises(lstmAdam))},
	{Section: "TME 9, 1.2–1.4", Quote: "The entropies fall mainly in the first 30 epochs.",
		Rule:  "with SGD the mean test entropy falls by at least 0.1 nats, and after epoch 30 more than half of that is done: simple, values, LSTM",
		check: all(fallsEarly(simpleSGD), fallsEarly(valuesSGD), fallsEarly(lstmSGD))},
	{Section: "TME 9, 1.2", Quote: "Reviews of high entropy carry no particular sentiment.",
		Rule:  "the tenth of the test reviews with the highest entropy is classified less well than the others (tme9-simple)",
		check: vaguer(simpleAdam)},
	{Section: "TME 9, 1.2", Quote: "Attention is not on words that a human would choose.",
		Rule:  "40 words of praise and blame get no larger weights than other words do (tme9-simple); the report's own list of words showed ranks for positions",
		check: overlooksOpinions(simpleAdam)},
	{Section: "TME 9, 1.3", Quote: "A query for each review without values overfits; values cure it.",
		Rule:  "tme9-query overfits, tme9-values does not, with Adam",
		check: all(overfits(queryAdam), not(overfits(valuesAdam)))},
	{Section: "TME 9, 1.3", Quote: "SGD removes the overfitting at a small cost.",
		Rule:  "tme9-values with SGD does not overfit and is at most 1 point below Adam",
		check: all(not(overfits(valuesSGD)), gains(valuesAdam, valuesSGD, -smallCost))},
	{Section: "TME 9, 1.3", Quote: "With SGD the values have not converged after 100 epochs.",
		Rule:  "train loss still falls by more than 0.001 nats in ten epochs (the last five against the five that end ten epochs before): tme9-values with SGD",
		check: stillLearns(valuesSGD)},
	{Section: "TME 9, 1.3", Quote: "Longer training would gain more.",
		Rule:  "twice the epochs with SGD, 200, are better than 100 by more than noise: values, LSTM",
		check: all(gains(valuesSGD, valuesSGD.with("epochs=200"), 0), gains(lstmSGD, lstmSGD.with("epochs=200"), 0))},
	{Section: "TME 9, 1.3", Quote: "Values flatten the histogram of the entropies.",
		Rule:  "the middle half of the test entropies spreads at least 0.1 nats wider in tme9-values than in tme9-simple, with SGD",
		check: flatter(simpleSGD, valuesSGD)},
	{Section: "TME 9, 1.4", Quote: "With Adam the LSTM overfits whatever the settings.",
		Rule:  "every finished run of tme9-lstm with Adam overfits",
		check: alwaysOverfits(lstmAdam)},
	{Section: "TME 9, 1.4", Quote: "The LSTM overfits because the data are few.",
		Rule:  "with a quarter of the train reviews train and test part by at least 2 points more (mean of the last five epochs): tme9-lstm with Adam",
		check: widens(lstmAdam, lstmAdam.with("data.train=6250"))},
	{Section: "TME 9, 1.4", Quote: "The LSTM lowers the entropies most.",
		Rule:  "its mean test entropy ends at least 0.1 nats below simple and values, with SGD",
		check: all(lowerEntropy(simpleSGD, lstmSGD), lowerEntropy(valuesSGD, lstmSGD))},
	{Section: "TME 9, 1.4", Quote: "A bidirectional LSTM would lower them further (not tried).",
		Rule: "the mean test entropy of tme9-bilstm ends at least 0.1 nats below tme9-lstm, with SGD",
		only: "default", check: lowerEntropy(lstmSGD, biLSTMSGD)},
	{Section: "TME 9, 1.5", Quote: "λ = 0.001 is the only useful value.",
		Rule:     "it halves the mean entropy of tme9-values and accuracy stays above 55, by more than noise (of entropies 0.1 nats); ten times more and less do not both",
		original: onlyUseful(valuesSGD, entropySGD, entropySGD.with("lambda=0.0001"), entropySGD.with("lambda=0.01")),
		check:    onlyUseful(valuesSGD, entropySGD, entropySGD.with("lambda=0.0064"), entropySGD.with("lambda=0.64"))},
	{Section: "TME 9, 1.5", Quote: "The penalty drives the entropies to zero and costs accuracy.",
		Rule:  "tme9-entropy ends with a mean entropy of at most 0.5 nats (less than two words; undecided within 0.1 of it), and below tme9-values in accuracy, with SGD",
		check: all(entropyVanishes(entropySGD), costs(valuesSGD, entropySGD))},
	{Section: "TME 9, 1.6", Quote: "85 % cannot be passed with this kind of approach.",
		Rule: "the best setting of the six models has a test accuracy below 85",
		check: neverAbove(limit85, []rowOf{lstmAdam}, "tme9-mean", "tme9-simple", "tme9-query", "tme9-values", "tme9-lstm",
			"tme9-entropy")},
	{Section: "TME 9, on the whole", Quote: "Adam converges faster than SGD.",
		Rule: "Adam comes within 1 point of where SGD ends (mean of its last five epochs) in at most half of the epochs that SGD takes, the median of the seeds; " +
			"it fails if Adam takes as many or more: mean, simple, values, LSTM",
		check: all(sooner(meanAdam, meanSGD), sooner(simpleAdam, simpleSGD), sooner(valuesAdam, valuesSGD), sooner(lstmAdam, lstmSGD))},
	{Section: "TME 9, on the whole", Quote: "Adam is less sensitive to the learning rate than SGD.",
		Rule:  "with a tenth, once and ten times its rate, Adam loses at least 1 point less from the best to the worst than SGD; it fails if SGD does: tme9-simple",
		check: lessSensitive(rates(simpleAdam, "0.0001", "0.01"), rates(simpleSGD, "0.001", "0.1"))},

	{Section: "TME 10, 2.1", Quote: "Without positions training is unstable.",
		Rule:  "test accuracy of tme10-self moves by more than 1 point an epoch on average, over the second half of training",
		check: isUnstable(selfAdam)},
	{Section: "TME 10, 2.1", Quote: "Batches of 16 make it unstable.",
		Rule:  "with batch=64 the test accuracy of tme10-self moves at most 0.8 times as much an epoch as with 16",
		check: stabilises(selfAdam, selfAdam.with("batch=64"))},
	{Section: "TME 10, 2.1", Quote: "LayerNorm gives the same as BatchNorm.",
		Rule: "tme10-self with norm=layer lies within 1 point of norm=batch",
		only: "default", check: same(selfAdam, selfAdam.with("norm=layer"), sameAccuracy)},
	{Section: "TME 10, 2.2", Quote: "Positions stabilise and, above all with SGD, overfit.",
		Rule:  "with tme10-pe test accuracy moves at most 0.8 times as much an epoch as with tme10-self; tme10-pe overfits with SGD",
		check: all(stabilises(selfAdam, peAdam), overfits(peSGD))},
	{Section: "TME 10, 2.3", Quote: "CLS removes the overfitting and stabilises.",
		Rule:  "tme10-cls does not overfit, and moves at most 0.8 times as much an epoch as tme10-self",
		check: all(not(overfits(clsAdam)), stabilises(selfAdam, clsAdam))},
	{Section: "TME 10, 2.3", Quote: "CLS with positions collapses.",
		Rule:  "tme10-cls-pe lies at least 5 points below tme10-cls",
		check: not(gains(clsAdam, clsPEAdam, -collapse))},
	{Section: "TME 10, 2.4", Quote: "Self-attention does not beat global attention here.",
		Rule: "the best setting of the four models of TME 10 lies below tme9-simple with Adam",
		check: notBetter(simpleAdam, []rowOf{selfAdam, peAdam, clsAdam, clsPEAdam},
			"tme10-self", "tme10-pe", "tme10-cls", "tme10-cls-pe")},
	{Section: "TME 10, on the whole", Quote: "Attention disappoints because the data set is too small.",
		Rule: "models that have first learned from IMDB's texts without their labels are at least 1 point better: tme9-lstm from lm-lstm, tme10-self and tme10-cls from mlm-self, with Adam",
		only: "default", check: all(gains(lstmAdam, lstmAdam.with("init=lm-lstm"), 1), gains(selfAdam, selfAdam.with("init=mlm-self"), 1),
			gains(clsAdam, clsAdam.with("init=mlm-self"), 1))},
}

// rates returns a row with its default learning rate, followed by the row with other rates.
func rates(row rowOf, others ...string) []rowOf {
	out := []rowOf{row}
	for _, lr := range others {
		out = append(out, row.with("lr="+lr))
	}
	return out
}

// onlyUseful checks that only the first of several weights of the penalty is useful.
func onlyUseful(without, row rowOf, others ...rowOf) rule {
	rules := []rule{useful(without, row)}
	for _, o := range others {
		rules = append(rules, not(useful(without, o)))
	}
	return all(rules...)
}

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
			text := strings.TrimSuffix(fmt.Sprintf("%s: %s. %s", v.Variant, v.Verdict, v.Numbers), ". ")
			out.WriteString(term.Wrap(text, width, "  ", "    ") + "\n")
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
			lines := report.Map(v.Missing, func(words []string) string { return s.Command(words...) })
			out = append(out, []string{c.Section, c.Quote, c.Rule, v.Variant, string(v.Verdict), v.Numbers, strings.Join(lines, "\n")})
		}
	}
	return out
}
