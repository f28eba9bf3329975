package reporttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/report"
	"imdbexp/runs"
)

// Mixture returns one run of each kind.
func Mixture(t *testing.T) []*runs.Run {
	dir := t.TempDir()
	slips := []string{"slip.whitespace=true", "slip.drop_last=true"}
	swapped := *LSTM
	swapped.Row, swapped.Note = "learned values, Adam", "the two losses are printed swapped"
	list := []Run{
		{Name: "tme9-lstm", Variant: "original", Set: slips, Published: LSTM, Test: []float64{80, 84.6, 83, 82.7}},
		{Name: "tme9-lstm", Published: LSTM, Test: []float64{80, 86.9, 86.6, 85}},
		{Name: "tme9-lstm", User: []string{"lr=0.01"}, Published: LSTM, Test: []float64{80, 85}},
		{Name: "tme9-lstm", Set: []string{"optimizer=sgd", "epochs=8"}, Published: LSTM, Epochs: 3, Unfinished: true},
		{Name: "tme9-values", Variant: "original", Set: slips, Published: &swapped, Test: []float64{81}},
		{Name: "tme9-bilstm", Test: []float64{88}},
		{Name: "tme9-mean", Data: Sample, Published: LSTM, NoEntropy: true, Test: []float64{70}},
		{Name: "tme9-entropy", Variant: "original", Data: Sample, Published: LSTM, Epochs: 2, Diverged: "diverged at epoch 3, step 812 (loss NaN, gradient norm 31)"},
	}
	for i, seed := range []string{"1", "2", "3"} {
		list = append(list, Run{
			Name: "tme9-lstm", Set: []string{"seed=" + seed}, User: []string{"select=best"},
			Published: LSTM, Test: []float64{80, 86.9 + float64(i)/5, 86.6, 86.5}, Best: 2 + i%2,
		})
	}
	var out []*runs.Run
	for _, m := range list {
		out = append(out, m.Add(t, dir))
	}
	return out
}

// Guesses returns predictions of n reviews by a model that is worse on longer reviews and more
// confident with a larger sharp.
func Guesses(n int, sharp float64) *runs.Predictions {
	random := rand.New(rand.NewPCG(1, 2))
	p := &runs.Predictions{Classes: []string{"neg", "pos"}}
	for i := range n {
		words := 10 + random.IntN(500)
		sure := 0.5 + 0.5*min(1, sharp*random.Float64()/4)
		r := runs.Prediction{Review: fmt.Sprint(i), Label: i % 2, Predicted: i % 2, Words: words}
		if random.Float64() > 0.9-float64(words)/1500 {
			r.Predicted = 1 - r.Label
		}
		r.P = make([]float32, 2)
		r.P[r.Predicted], r.P[1-r.Predicted] = float32(sure), float32(1-sure)
		p.Rows = append(p.Rows, r)
	}
	return p
}

// Predicted returns predictions of n reviews, correct where right returns true.
func Predicted(n int, right func(i int) bool) *runs.Predictions {
	p := &runs.Predictions{Classes: []string{"neg", "pos"}}
	for i := range n {
		r := runs.Prediction{Review: fmt.Sprintf("test/%d", i), Label: i % 2, Predicted: i % 2, Words: 10, Entropy: float32(i%50) / 10, P: []float32{0.5, 0.5}}
		if !right(i) {
			r.Predicted = 1 - r.Predicted
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// Models returns finished runs with predictions: three models in two variants, one with two seeds.
func Models(t *testing.T) []*runs.Run {
	dir := t.TempDir()
	var list []*runs.Run
	for i, name := range []string{"tme9-mean", "tme9-lstm", "tme9-lstm-last"} {
		for k, variant := range []string{"original", "default"} {
			m := Run{
				Name: name, Variant: variant, Set: []string{"slip.whitespace=" + fmt.Sprint(k == 0)},
				Test: []float64{70 + 5*float64(i+k)}, Predictions: Guesses(400, float64(1+i+k)),
			}
			if name == "tme9-lstm" {
				m.Published = LSTM
				second := m
				second.Set = append([]string{"seed=2"}, m.Set...)
				second.Test = []float64{m.Test[0] + 1.5}
				list = append(list, second.Add(t, dir))
			}
			list = append(list, m.Add(t, dir))
		}
	}
	return list
}

// Translators returns runs that translate, one model with two seeds and one without test.
func Translators(t *testing.T) []*runs.Run {
	dir := t.TempDir()
	return []*runs.Run{
		Translator(t, dir, "seq2seq-plain", 1, Translated(40, 6)),
		Translator(t, dir, "seq2seq-bahdanau", 1, Translated(40, 12)),
		Translator(t, dir, "seq2seq-bahdanau", 2, Translated(40, 11)),
		Translator(t, dir, "seq2seq-luong", 1, nil),
	}
}

// Translator makes the folder of a run that translates. With a nil list the run was not tested.
func Translator(t *testing.T, dir, name string, seed int, list []runs.Translation) *runs.Run {
	t.Helper()
	set := must.Get(settings.New(new(settings.Run)))(t)
	require.NoError(t, set.Apply("experiment", "epochs=1", fmt.Sprint("seed=", seed)))
	c := runs.NewConfig(name, name, 1, set, map[string]string{"data": "da7aphrases"})
	c.Data = phrases
	w := must.Get(runs.Create(dir, c, runs.Environment{Started: time.Unix(1_800_000_000, 0)}))(t)
	defer w.Close()
	m := runs.Metrics{Epoch: 1, TrainLoss: new(0.1), TrainAcc: new(98.0)}
	var answers runs.Answers
	if list != nil {
		s := report.Translations(list)
		m.TestLoss, m.TestAcc, m.TestExact, m.TestBLEU = new(0.2), new(97.0), &s.Greedy.Exact, &s.Greedy.BLEU
		answers = runs.Translations(list)
	}
	require.NoError(t, w.Epoch(m, runs.Timing{Epoch: 1}, Run{}.histograms(1), &runs.Checkpoint{Epoch: 1}, false))
	require.NoError(t, w.Finish(answers))
	return must.Get(runs.Open(w.Path()))(t)
}

// Translated returns n pairs of at least 3 words. Greedy search translates sentences of
// at most right words correctly, beam search those of one word more.
func Translated(n, right int) []runs.Translation {
	var out []runs.Translation
	for i := range n {
		words := 3 + i/4
		t := runs.Translation{Pair: fmt.Sprintf("test/%04d", i+1), Source: strings.TrimSpace(strings.Repeat("the ", words)), Reference: strings.TrimSpace(strings.Repeat("le la les ", words))}
		t.Greedy, t.Beam = t.Reference, t.Reference
		if words > right {
			t.Greedy = strings.Replace(t.Reference, "le", "un", 1)
		}
		if words > right+1 {
			t.Beam = t.Greedy
		}
		out = append(out, t)
	}
	return out
}

// Searched returns runs that were evaluated on the test set, and the trials of a search, the best
// last.
func Searched(t *testing.T) (looked, trials []*runs.Run) {
	dir := t.TempDir()
	trial := func(best int, valid float64, user ...string) Run {
		user = append([]string{"select=best", "test=never", "data.max_len=256"}, user...)
		return Run{Name: "tme9-lstm", User: user, Published: LSTM, Best: best, Valid: valid}
	}
	stopped, lost := trial(1, 81, "lr=0.03", "batch=32"), trial(1, 70, "lr=0.5", "batch=32", "clip=1")
	stopped.Unfinished, stopped.Epochs = true, 1
	lost.Diverged, lost.Epochs = "diverged at epoch 2, step 9 (loss 3e9, gradient norm 2e4)", 1
	for _, m := range []Run{
		lost, stopped, trial(2, 82, "lr=0.03", "epochs=2", "oov=zero"), trial(2, 84.5, "lr=0.01", "adam.beta1=0.8", "weight_decay=0.0001"),
		trial(3, 86, "lr=0.02", "seed=1", "adam.beta1=0.5"), trial(4, 87, "lr=0.02", "seed=2", "adam.beta1=0.5"),
	} {
		trials = append(trials, m.Add(t, dir))
	}
	best := Run{Name: "tme9-lstm", Published: LSTM, Best: 3, User: []string{"lr=0.02", "adam.beta1=0.5", "select=best"}}
	return []*runs.Run{Run{Name: "tme9-lstm", Published: LSTM}.Add(t, dir), best.Add(t, dir)}, trials
}

var phrases = runs.DataFacts{
	Name: "phrases", Kind: runs.PairsKind,
	Train: runs.Part{Reviews: 3000, Words: 30_000, Targets: 33_000}, Test: runs.Part{Reviews: 40, Words: 500, Targets: 550},
}
