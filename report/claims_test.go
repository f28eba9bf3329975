package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/claims"
	"imdbexp/runs"
)

func check(t *testing.T, list ...*runs.Run) claims.List {
	t.Helper()
	return must.Get(claims.Check(list))(t)
}

// verdict finds what the runs of a variant say about a claim.
func verdict(t *testing.T, checked claims.List, quote, variant string) claims.VariantVerdict {
	t.Helper()
	for _, c := range checked {
		if strings.Contains(c.Quote, quote) {
			for _, v := range c.Verdicts {
				if v.Variant == variant {
					return v
				}
			}
		}
	}
	t.Fatalf("no claim %q of %s", quote, variant)
	return claims.VariantVerdict{}
}

// scored is a run that errs on every n-th of 2 000 reviews, with Adam unless set otherwise.
func scored(t *testing.T, name string, every int, set ...string) *runs.Run {
	return reporttest.Run{
		Name: name, Set: append([]string{"optimizer=adam"}, set...), Epochs: 4,
		Predictions: reporttest.Predicted(2000, func(i int) bool { return i%every != 0 }),
	}.New(t)
}

func TestClaimsWithoutRuns(t *testing.T) {
	checked := check(t)
	require.Len(t, checked, 42)
	for _, c := range checked {
		assert.NotEmpty(t, c.Rule)
		require.NotEmpty(t, c.Verdicts, c.Quote)
		for _, v := range c.Verdicts {
			assert.Equal(t, claims.NotRun, v.Verdict, c.Quote)
			require.NotEmpty(t, v.Missing, c.Quote)
			for _, words := range v.Missing {
				assert.Equal(t, "run", words[0])
				assert.Equal(t, v.Variant == "original", strings.Contains(strings.Join(words, " "), "variant=original"))
			}
		}
	}
	v := verdict(t, checked, "Attention gains", "original")
	assert.Equal(t, [][]string{
		{"run", "tme9-mean", "optimizer=adam", "variant=original"},
		{"run", "tme9-simple", "optimizer=adam", "variant=original"},
		{"run", "tme9-mean", "optimizer=sgd", "variant=original"},
		{"run", "tme9-simple", "optimizer=sgd", "variant=original"},
	}, v.Missing)
	v = verdict(t, checked, "only useful value", "default")
	assert.Contains(t, v.Missing, []string{"run", "tme9-entropy", "optimizer=sgd", "lambda=0.64"})
}

func TestClaimsOnAccuracies(t *testing.T) {
	add := func(dir, name, optimizer string, every int) *runs.Run {
		return reporttest.Run{
			Name: name, Set: []string{"optimizer=" + optimizer}, Epochs: 4,
			Predictions: reporttest.Predicted(2000, func(i int) bool { return i%every != 0 }),
		}.Add(t, dir)
	}
	dir := t.TempDir()
	list := []*runs.Run{add(dir, "tme9-mean", "adam", 4), add(dir, "tme9-mean", "sgd", 4), add(dir, "tme9-simple", "adam", 10)}
	v := verdict(t, check(t, list...), "Attention gains", "default")
	assert.Equal(t, claims.NotRun, v.Verdict)
	assert.Equal(t, [][]string{{"run", "tme9-simple", "optimizer=sgd"}}, v.Missing, "only what is missing")
	assert.Contains(t, v.Numbers, "+15.00 points", "what is known is shown all the same")

	assert.Contains(t, v.Numbers, "), one run each: reviews alone")

	v = verdict(t, check(t, append(list, add(dir, "tme9-simple", "sgd", 10))...), "Attention gains", "default")
	assert.Equal(t, claims.Holds, v.Verdict)
	second := reporttest.Run{
		Name: "tme9-mean", Set: []string{"optimizer=adam"}, User: []string{"seed=2"}, Epochs: 4,
		Predictions: reporttest.Predicted(2000, func(i int) bool { return i%4 != 1 }),
	}.Add(t, dir)
	v = verdict(t, check(t, append(list, second)...), "Attention gains", "default")
	assert.Contains(t, v.Numbers, "), 1 and 2 seeds: one seed of tme9-simple adam")
	v = verdict(t, check(t, append(list, add(t.TempDir(), "tme9-simple", "sgd", 4))...), "Attention gains", "default")
	assert.Equal(t, claims.Fails, v.Verdict, "one part fails")
}

// The fixture's curves: train 96 − 30/n, test 82.5, entropies 5 − 0.1n.
func TestClaimsOnCurves(t *testing.T) {
	row := func(name, optimizer string, test ...float64) reporttest.Run {
		return reporttest.Run{Name: name, Set: []string{"optimizer=" + optimizer}, Test: test, Predictions: reporttest.Predicted(200, func(i int) bool { return i%4 != 0 })}
	}
	list := []*runs.Run{
		row("tme9-lstm", "adam").New(t), // train 88.5, test 82.5: overfits
		row("tme9-simple", "adam", 88).New(t), row("tme9-simple", "sgd", 88).New(t),
		row("tme9-values", "sgd", 88).New(t), row("tme9-lstm", "sgd", 88).New(t),
	}
	checked := check(t, list...)
	for quote, want := range map[string]claims.Verdict{
		"the LSTM overfits":       claims.Holds,
		"Simple attention does":   claims.Fails, // the loss on test rises by 0.03
		"entropies fall":          claims.Holds,
		"lowers the entropies":    claims.Undecided, // all end alike
		"Values flatten":          claims.Undecided, // no quantiles in the fixture
		"85 % cannot":             claims.Fails,     // 88
		"carry no particular":     claims.Undecided,
		"that a human would":      claims.NotRun, // the fixture keeps no words
		"LayerNorm gives":         claims.NotRun,
		"CLS removes the overfit": claims.NotRun,
	} {
		assert.Equal(t, want, verdict(t, checked, quote, "default").Verdict, quote)
	}
	assert.Contains(t, verdict(t, checked, "that a human would", "default").Numbers, "cannot be read", "and says why")

	// Where the metrics are lost nothing is judged: a claim neither holds nor fails.
	lost := row("tme9-entropy", "sgd")
	base := row("tme9-values", "sgd").New(t)
	run := lost.New(t)
	require.NoError(t, os.WriteFile(filepath.Join(run.Path, "metrics.jsonl"), []byte("{\n"), 0o666))
	found, err := claims.Check([]*runs.Run{run, base})
	assert.ErrorContains(t, err, "metrics.jsonl")
	assert.Equal(t, claims.NotRun, verdict(t, found, "drives the entropies to zero", "default").Verdict)

	// A run with other settings, of the sample, or unfinished is no evidence.
	other := row("tme9-mean", "adam")
	other.User = []string{"clip=1"}
	sampled := row("tme9-mean", "adam")
	sampled.Data = reporttest.Sample
	stopped := row("tme9-mean", "sgd")
	stopped.Unfinished, stopped.Epochs = true, 2
	v := verdict(t, check(t, other.New(t), sampled.New(t), stopped.New(t)), "The mean model", "default")
	assert.Equal(t, claims.NotRun, v.Verdict)
	assert.Len(t, v.Missing, 2)
}

// The trials of a search never look at test: they say nothing about it, and take
// nothing from what other runs say.
func TestClaimsPassOverTrials(t *testing.T) {
	row := func(name string, user ...string) *runs.Run {
		return reporttest.Run{Name: name, User: user, Predictions: reporttest.Predicted(200, func(i int) bool { return i%4 != 0 })}.New(t)
	}
	var list, trials []*runs.Run
	for _, name := range []string{"tme9-lstm", "tme9-simple"} {
		list, trials = append(list, row(name)), append(trials, row(name, "test=never", "lr=0.5"))
	}
	for _, quote := range []string{"85 % cannot", "With Adam the LSTM overfits"} {
		assert.Equal(t, verdict(t, check(t, list...), quote, "default"), verdict(t, check(t, append(trials, list...)...), quote, "default"), quote)
		assert.Equal(t, claims.NotRun, verdict(t, check(t, trials...), quote, "default").Verdict, quote)
	}
	assert.Equal(t, claims.Holds, verdict(t, check(t, append(trials, list...)...), "85 % cannot", "default").Verdict)
}

// Nor do runs with other vectors than the report's, which pass what it calls a limit.
func TestClaimsPassOverOtherVectors(t *testing.T) {
	row := func(right int, vectors string) *runs.Run {
		return reporttest.Run{
			Name: "tme9-lstm", User: []string{"vectors=" + vectors},
			Digests:     map[string]string{"data": reporttest.IMDBDigest, "vectors": vectors},
			Predictions: reporttest.Predicted(200, func(i int) bool { return i%100 < right }),
		}.New(t)
	}
	other, own := row(95, "corpus"), row(75, "glove50")
	assert.Equal(t, claims.NotRun, verdict(t, check(t, other), "85 % cannot", "default").Verdict)
	want := verdict(t, check(t, own), "85 % cannot", "default")
	assert.NotEqual(t, claims.NotRun, want.Verdict)
	assert.Equal(t, want, verdict(t, check(t, other, own), "85 % cannot", "default"))
}

// Where one of several seeds speaks for all, the evidence says so.
func TestClaimsSayWhichSeed(t *testing.T) {
	var list []*runs.Run
	for _, seed := range []string{"seed=3", "seed=4"} {
		p := reporttest.Predicted(200, func(i int) bool { return i%4 != 0 })
		for i := range p.Rows {
			p.Rows[i].Entropy = float32(i)
		}
		list = append(list, reporttest.Run{Name: "tme9-simple", User: []string{seed}, Predictions: p}.New(t))
	}
	assert.Contains(t, verdict(t, check(t, list...), "carry no particular", "default").Numbers, "tme9-simple adam (of 2 seeds: seed 3): ")
	assert.Contains(t, verdict(t, check(t, list...), "carry no particular", "default").Numbers, "75.00 on the others, +0.00 points more (−15.40 to +22.62)", "Newcombe's interval of 135 of 180 and 15 of 20")
	assert.NotContains(t, verdict(t, check(t, list[0]), "carry no particular", "default").Numbers, "seeds")
}

func TestClaimsViews(t *testing.T) {
	shown := claims.Shown{Claims: check(t), Command: reporttest.Typed}
	text := reporttest.Text(t, shown, 60)
	assert.Contains(t, text, "\nNot run yet\nTME 9, 1.1: ")
	assert.Contains(t, text, "    exp run tme9-mean optimizer=adam\n")
	assert.NotContains(t, text, "rule:", "280 lines of sentences without runs")
	md := reporttest.Written(t, shown.Markdown)
	assert.Equal(t, 2+2*30-3+8+4, strings.Count(md, "\n|"), "two verdicts each, but for those checked on one variant alone")
	assert.Contains(t, reporttest.CSV(t, shown.Records()), "section,claim,rule,variant,verdict,evidence,commands\n")
}

// A run that has taken its weights from another one is found by that one's name.
func TestClaimsOnImposedWeights(t *testing.T) {
	add := func(every int, set ...string) *runs.Run {
		return scored(t, "tme9-values", every, append(set, "value.activation=tanh")...)
	}
	uniform := add(4, "attention=uniform")
	other := add(10, "attention=imposed", "attention.base=imdbexp:luong/4f2a91@9c31e07b")
	v := verdict(t, check(t, uniform, other), "sees each word alone", "default")
	assert.Equal(t, claims.NotRun, v.Verdict)
	lacks := []string{"run", "tme9-values", "optimizer=adam", "value.activation=tanh", "attention=imposed", "attention.base=additive"}
	assert.Equal(t, [][]string{{"run", "additive", "optimizer=adam"}, lacks}, v.Missing, "whose weights it takes comes first")
	v = verdict(t, check(t, uniform, other, scored(t, "additive", 4)), "sees each word alone", "default")
	assert.Equal(t, [][]string{lacks}, v.Missing)
	imposed := add(10, "attention=imposed", "attention.base=imdbexp:additive/4f2a91@9c31e07b")
	v = verdict(t, check(t, uniform, other, imposed), "sees each word alone", "default")
	assert.Equal(t, claims.Holds, v.Verdict)
}

// The claim about too few data compares classifiers with those that start from a language model.
func TestClaimTooSmall(t *testing.T) {
	list := []*runs.Run{
		scored(t, "tme9-lstm", 10), scored(t, "tme9-lstm", 20, "init=imdbexp:lm-lstm/4f2a91@9c31e07b"),
		scored(t, "tme10-self", 10), scored(t, "tme10-self", 20, "init=imdbexp:mlm-self/4f2a91@9c31e07b"), scored(t, "tme10-cls", 10),
	}
	v := verdict(t, check(t, list...), "too small", "default")
	assert.Equal(t, claims.NotRun, v.Verdict)
	assert.Equal(t, [][]string{{"run", "mlm-self", "optimizer=adam"}, {"run", "tme10-cls", "optimizer=adam", "init=mlm-self"}}, v.Missing)
	better := scored(t, "tme10-cls", 20, "init=imdbexp:mlm-self/4f2a91@9c31e07b")
	same := scored(t, "tme10-cls", 10, "init=imdbexp:mlm-self/4f2a91@9c31e07b")
	assert.Equal(t, claims.Holds, verdict(t, check(t, append(list, better)...), "too small", "default").Verdict)
	assert.Equal(t, claims.Fails, verdict(t, check(t, append(list, same)...), "too small", "default").Verdict)
}

// Beside the points of accuracy stand the F1 of positive, by hand: with every fourth review
// wrong, all of them negative, 1 000 of the 1 500 called positive are.
func TestClaimTellsF1(t *testing.T) {
	v := verdict(t, check(t, scored(t, "additive", 10), scored(t, "additive", 4, "attention=uniform")), "gain little over uniform", "default")
	assert.Equal(t, claims.Fails, v.Verdict)
	assert.Contains(t, v.Numbers, "additive adam: F1 0.909; additive adam attention=uniform: F1 0.800")
}
