package infer_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
	"imdbexp/runs"
)

// loader opens the sample once for the runs of these tests; opened holds what it has.
var (
	loader = task.Loader{Dir: filepath.Join(os.TempDir(), "no-data-folder"), Workers: 2}
	opened sync.Map
)

// train makes a small run on the reviews of the sample.
func train(t *testing.T, name string, assignments ...string) (*runs.Run, *ops.Pool) {
	t.Helper()
	return trainWith(t, name, append([]string{"epochs=2", "data.limit=40", "vectors=random"}, assignments...))
}

// trainWith makes a run on the sample with these settings.
func trainWith(t *testing.T, name string, assignments []string) (*runs.Run, *ops.Pool) {
	t.Helper()
	pool := ops.NewPool(1)
	t.Cleanup(pool.Close)
	e := must.Get(experiments.Lookup(name))(t)
	p := must.Get(plan.New(plan.Base{Experiment: e}, "sample", assignments))(t)
	r := &training.Runner{Dir: t.TempDir(), Pool: pool, Loader: &loader}
	j := must.Get(r.Job(t.Context(), p))(t)
	opened.Store(j.Data.Table, j.Data)
	out := must.Get(j.Run(t.Context(), training.Hooks{}))(t)
	return out.Run, pool
}

// TestPredictAgreesWithTheRun predicts every test review alone: the run had them in
// batches, and the numbers have the same bits.
func TestPredictAgreesWithTheRun(t *testing.T) {
	for _, c := range []struct{ name, settings string }{
		{"tme9-query", "variant=original slip.rank_words=false batch=16"},
		{"tme9-lstm", "select=best"},
		{"tme9-bilstm", "tokens=whitespace"},
		{"tme9-mean", "vectors.train=true lr=0.1"},
		{"ngram-mean", "average=0.9"},
		{"tme10-cls-pe", "layers=1 heads=2 data.max_len=12"},
		{"tme9-values", "vectors.train=true vectors=corpus oov=learned select=best lr=0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run, pool := train(t, c.name, strings.Fields(c.settings)...)
			m := must.Get(infer.Open(run, pool))(t)
			defer m.Close()
			want := must.Get(run.Predictions())(t)
			rows := want.Rows[:20]
			var ids []string
			for _, row := range rows {
				ids = append(ids, row.Review)
			}
			reviews := must.Get(infer.Reviews(t.Context(), t.TempDir(), run, ids))(t)
			first := must.Get(infer.Reviews(t.Context(), t.TempDir(), run, ids[:1]))(t)[0].Text
			require.Equal(t, first, reviews[0].Text)
			for i, row := range rows {
				text := reviews[i].Text
				p := must.Get(m.View(text, infer.Selection{}))(t)
				require.Equal(t, row.P, p.P, row.Review)
				require.Equal(t, row.Predicted, p.Class)
				require.Len(t, p.Words, row.Words)
				if p.Weights != nil {
					require.Equal(t, row.Entropy, float32(p.Mean))
					checkAttention(t, text, p)
				}
			}
		})
	}
}

func checkAttention(t *testing.T, text string, p *infer.View) {
	t.Helper()
	require.Len(t, p.Weights, len(p.Words))
	sum := float64(p.Attended.CLS + p.Attended.Padding)
	for _, w := range p.Weights {
		sum += float64(w)
	}
	require.InDelta(t, 1, sum, 1e-4)
	top := p.Top(3)
	require.Len(t, top, min(3, len(p.Words)))
	for i, k := range top[1:] {
		require.GreaterOrEqual(t, p.Weights[top[i]], p.Weights[k])
	}
	for _, w := range p.Words {
		require.Equal(t, w.Word, strings.ToLower(text[w.Start:w.End]))
	}
}

// The vectors of a text are those of the chosen epoch, not those that the run
// started with.
func TestVectors(t *testing.T) {
	const text = "The is xyzzy"
	few := filepath.Join(t.TempDir(), "few.txt") // most words have none
	require.NoError(t, os.WriteFile(few, []byte("the 1 0 0 0 0 0 0 0 0 0\nis 0 1 0 0 0 0 0 0 0 0\n"), 0o666))
	for _, c := range []struct{ settings, weight string }{
		{"", ""}, {"vectors.train=true lr=0.1", models.VectorsWeight}, {"oov=learned lr=0.1 vectors=" + few, models.OOVWeight},
	} {
		run, pool := train(t, "tme9-mean", strings.Fields(c.settings)...)
		m := must.Get(infer.Open(run, pool))(t)
		defer m.Close()
		kept := must.Get(run.Table())(t)
		rows := slices.Clone(kept.Rows)
		trained := must.Get(run.Checkpoint(run.ChosenCheckpoint()))(t)
		for _, p := range trained.Params {
			if p.Name == c.weight { // all rows, or the first
				copy(rows, p.Data.([]float32))
			}
		}
		require.Equal(t, c.weight == "", slices.Equal(rows, kept.Rows), "%s: training changes them", c.settings)
		got := m.Encode(text)
		require.Equal(t, []bool{true, true, false}, got.Known)
		require.Equal(t, kept.Dim, m.Dim())
		for i, w := range got.Words {
			at := max(0, slices.Index(kept.Words, w.Word)) * m.Dim()
			require.Equal(t, rows[at:at+m.Dim()], m.Vector(got.Rows[i]), "%s: %s", c.settings, w.Word)
		}
	}
}

func TestPredictAnyText(t *testing.T) {
	run, pool := train(t, "tme9-simple")
	m := must.Get(infer.Open(run, pool))(t)
	defer m.Close()
	for _, text := range []string{"", " \n", "xyzzy", "\xff\xfe", strings.Repeat("the film ", 5000)} {
		p := must.Get(m.View(text, infer.Selection{}))(t)
		require.InDelta(t, 1, p.P[0]+p.P[1], 1e-5)
		require.Len(t, p.Weights, len(p.Words))
		require.Len(t, p.Known, len(p.Words))
	}
	p := must.Get(m.View("the xyzzy", infer.Selection{}))(t)
	require.Equal(t, []bool{true, false}, p.Known)
}

func TestOpenRefuses(t *testing.T) {
	run, pool := train(t, "tme9-mean")
	_, err := infer.Reviews(t.Context(), t.TempDir(), run, []string{"test/none"})
	require.ErrorContains(t, err, "review test/none is not in sample")

	other := *run
	other.Config.Table = strings.Repeat("0", 64)
	_, err = infer.Open(&other, pool)
	require.ErrorContains(t, err, run.Label())
	require.ErrorContains(t, err, filepath.Join(".store", other.Config.Table))

	other = *run
	other.Config.Model = "simple"
	_, err = infer.Open(&other, pool)
	require.ErrorContains(t, err, "q is missing")

	require.NoError(t, os.Remove(filepath.Join(run.Path, "last.safetensors")))
	_, err = infer.Open(run, pool)
	require.ErrorContains(t, err, "last.safetensors is damaged: it is missing")
	require.ErrorContains(t, err, fmt.Sprintf("exp run %q --runs %q resumes from it", filepath.Join(run.Path, "config.yaml"), filepath.Dir(filepath.Dir(run.Path))))
}

// With slip.rank_words the words shown are not the attended ones: the rank of
// word i stands where the position of the i-th word belongs.
func TestTopByRanks(t *testing.T) {
	right, pool := train(t, "tme9-simple")
	slipped, _ := train(t, "tme9-simple", "slip.rank_words=true")
	const text = "the film is good , the plot is not"
	view := func(run *runs.Run) *infer.View {
		m := must.Get(infer.Open(run, pool))(t)
		defer m.Close()
		return must.Get(m.View(text, infer.Selection{}))(t)
	}
	want, got := view(right), view(slipped)
	order, n := want.Top(99), len(want.Words)
	require.Nil(t, want.Slipped(n))
	require.Len(t, got.Slipped(n), n)
	for word, rank := range got.Slipped(n) {
		require.Equal(t, word, order[rank])
	}
}

// Sparse attention gives words the weight 0: they are not among the most attended.
func TestTopOmitsWordsWithoutWeight(t *testing.T) {
	p := infer.View{Weights: []float32{0, 0.3, 0, 0.7, 0}}
	require.Equal(t, []int{3, 1}, p.Top(5))
	require.Equal(t, []int{3}, p.Top(1))
}

// The steps recomputed in float64 give the network's output, for every model with
// attention.
func TestStepsComeToTheNetwork(t *testing.T) {
	const text = "the cast is great , but the xyzzy is not ."
	for _, c := range []struct {
		name, settings string
		selected       infer.Selection
	}{
		{name: "tme9-simple", settings: "oov=learned"},
		{name: "tme9-query", settings: "slip.relu_logits=true"},
		{name: "tme9-values", settings: "value.activation=tanh"},
		{name: "tme9-lstm"},
		{name: "tme9-bilstm", settings: "value.activation=relu"},
		{name: "tme9-lstm", settings: "slip.lstm_values_only=true oov=masked"},
		{name: "tme10-self", settings: "layers=2", selected: infer.Selection{Layer: 1, Word: "great"}},
		{name: "tme10-cls-pe", settings: "heads=2 norm=layer", selected: infer.Selection{Head: 2}},
		{name: "tme10-self", settings: "slip.no_residual=true slip.softmax_queries=true slip.scale_d=true slip.sigmoid_logits=true layers=2"},
		{name: "tme10-pe", settings: "positions=halves norm=none pool=attention layers=1 activation=gelu"},
		{name: "tme10-pe", settings: "positions=learned norm.place=after scale=none"},
		{name: "multihead", settings: "pool=cls"},
		{name: "transformer", selected: infer.Selection{Layer: 1, Head: 3, Word: "4"}},
		{name: "additive", settings: "form=concat query=learned"},
		{name: "additive", settings: "cell=gru query=mean lambda=0.1"},
		{name: "luong"},
		{name: "luong", settings: "score=concat cell=gru bidirectional=false"},
		{name: "transformer", settings: "norm.place=before width=20 activation=gelu"},
	} {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			t.Parallel()
			run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=10")...)
			m := must.Get(infer.Open(run, pool))(t)
			defer m.Close()
			s := must.Get(m.Steps(text, c.selected))(t)
			checkSteps(t, s)
			v := must.Get(m.View(text, infer.Selection{Layer: c.selected.Layer, Head: max(c.selected.Head, min(1, len(m.Layers()))), Word: wordOf(c.selected, s, m.Layers() != nil)}))(t)
			if s.OverQueries {
				return // the view scales the row to add up to one
			}
			weights := v.Weights
			if len(s.Words) > len(weights) {
				weights = append([]float32{v.Attended.CLS}, weights...)
			}
			for i, w := range weights {
				require.InDelta(t, w, s.Weights[i], 1e-5, s.Words[i])
			}
		})
	}
}

// wordOf names the word that looks in steps, for a view to look with it, too.
func wordOf(o infer.Selection, s *infer.Steps, layers bool) string {
	switch {
	case o.Word != "" || !layers:
		return o.Word
	case s.Words[0] == infer.CLS:
		return infer.CLS
	}
	return "1"
}

func checkSteps(t *testing.T, s *infer.Steps) {
	t.Helper()
	require.Len(t, s.Known, len(s.Words))
	for c, z := range s.Network {
		require.InDelta(t, z, s.Logits[c], 2e-5, "logit %d", c)
	}
	total := 0.0
	for i, w := range s.Weights {
		total += w
		require.InDelta(t, s.Scaled[i], s.Scale*s.Scores[i], 1e-12)
	}
	if !s.OverQueries {
		require.InDelta(t, 1, total, 1e-12)
	}
	for j, sum := range s.Sum {
		for i, w := range s.Weights {
			sum -= w * s.Values[i][j]
		}
		require.InDelta(t, 0, sum, 1e-9, "Σ weight × value")
	}
	if s.Adds == nil {
		return
	}
	for c, z := range s.Logits {
		z -= s.Bias[c]
		for i := range s.Words {
			z -= s.Adds[i][c]
		}
		require.InDelta(t, 0, z, 1e-9, "what the words add")
	}
}

func TestStepsRefuse(t *testing.T) {
	for want, c := range map[string]struct{ name, settings, text string }{
		"has no attention, so it has no steps":           {"tme9-lstm-last", "", "a film"},
		"with slip.batch_slot_norm a prediction depends": {"tme10-self", "variant=code", "a film"},
		"with norm.eval=batch a prediction depends":      {"tme10-self", "norm.eval=batch layers=1", "a film"},
		"the text has 65 words":                          {"tme9-simple", "", strings.Repeat("film ", 65)},
		"the text has no words":                          {"tme9-simple", "", " "},
	} {
		run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=10")...)
		m := must.Get(infer.Open(run, pool))(t)
		defer m.Close()
		_, err := m.Steps(c.text, infer.Selection{})
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(*infer.SelectionError))
	}
}

func TestSelection(t *testing.T) {
	const text = "the cast is great , the plot 3"
	run, pool := train(t, "tme10-cls-pe", "layers=2", "heads=2", "epochs=1", "data.limit=10")
	m := must.Get(infer.Open(run, pool))(t)
	defer m.Close()
	view := func(o infer.Selection) *infer.View {
		v := must.Get(m.View(text, o))(t)
		sum := float64(v.Attended.CLS) + float64(v.Attended.Padding)
		for i, w := range v.Weights {
			sum += float64(w)
			require.InDelta(t, 9*w, v.Ratio[i], 1e-6)
		}
		require.InDelta(t, 1, sum, 1e-5)
		require.Equal(t, 9, v.Attended.Choices, "words and [CLS]")
		require.LessOrEqual(t, v.Attended.Entropy, math.Log(9)+1e-9)
		return v
	}
	// The mean over the heads is that of the heads, and [CLS] is what looks by default.
	all, one, two := view(infer.Selection{}), view(infer.Selection{Layer: 2, Head: 1}), view(infer.Selection{Layer: 2, Head: 2, Word: "[cls]"})
	for i, w := range all.Weights {
		require.InDelta(t, w, (one.Weights[i]+two.Weights[i])/2, 1e-6)
	}
	require.Equal(t, "what [CLS] looks at in layer 2 of 2, the mean of its 2 heads", all.Attended.What)
	require.Equal(t, `what word 4, "great", looks at in layer 1 of 2, head 2 of 2`, view(infer.Selection{Layer: 1, Head: 2, Word: "GREAT"}).Attended.What)
	require.Equal(t, view(infer.Selection{Word: "1"}).Weights, view(infer.Selection{Word: "the"}).Weights, "the first of equal words")
	require.Contains(t, view(infer.Selection{Word: "3"}).Attended.What, `word 3, "is"`, "a number is a place")
	for want, o := range map[string]infer.Selection{
		"layer 3: the model has layers 1 to 2":             {Layer: 3},
		"in layer 1: head 3: the model has heads 1 to 2":   {Layer: 1, Head: 3},
		"word 9: the model reads words 1 to 8 of the text": {Word: "9"},
		`word "dog" is not one of the 8`:                   {Word: "dog"},
	} {
		_, err := m.View(text, o)
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(*infer.SelectionError))
	}
	plain, _ := train(t, "tme9-simple", "epochs=1", "data.limit=10")
	p := must.Get(infer.Open(plain, pool))(t)
	defer p.Close()
	require.ErrorContains(t, must.Fail(p.View(text, infer.Selection{Layer: 1})), "no layers of self-attention")
}
