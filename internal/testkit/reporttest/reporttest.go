// Package reporttest makes run folders for the tests of reports, and compares pictures
// and texts with golden ones.
package reporttest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/settings"
	_ "imdbexp/internal/testkit/inmemory"
	"imdbexp/internal/testkit/must"
	"imdbexp/report/compare"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Run describes a run folder to make.
type Run struct {
	Name, Variant string         // variant "": default
	Set           []string       // key=value by the experiment
	User          []string       // key=value by the user
	Data          runs.DataFacts // none: IMDB
	Digests       map[string]string
	Published     *runs.Published
	Older         bool      // by a result version
	Epochs        int       // to write; 0: as many as set
	Test          []float64 // test accuracy of each epoch; the last goes on, NaN was not tested
	Unlearned     float64   // its loss, of a model that has forgotten on train what it knew; 0: it learns
	Best          int       // epoch with the best validation score
	Valid         float64   // validation accuracy; 0: 80
	Diverged      string
	Unfinished    bool
	NoEntropy     bool
	Predictions   *runs.Predictions // nil: none
	Took          float64           // seconds in all; 0: not known
	Params        []runs.Tensor     // of its checkpoints
	States        []runs.Tensor     // beside them
	Table         *runs.Table       // its words; nil: none
	Entropies     []runs.Histogram  // of its only epoch; nil: of train and test
}

var (
	// IMDB and Sample describe the data of runs.
	IMDB   = runs.DataFacts{Name: "imdb", Train: runs.Part{Reviews: 25000, Words: 5_800_000}, Test: runs.Part{Reviews: 25000, Words: 5_700_000}}
	Sample = runs.DataFacts{Name: "sample", Train: runs.Part{Reviews: 2000, Words: 80_000}, Test: runs.Part{Reviews: 1000, Words: 40_000}}
)

// LSTM is a published row.
var LSTM = &runs.Published{
	Row: "LSTM + attention, Adam", TrainLoss: 0.102, TestLoss: 0.619, TrainAcc: 96.49, TestAcc: 82.99,
	Epochs: 4, Source: "table 1",
}

// IMDBDigest is the digest of the reviews that the published numbers are about.
var IMDBDigest = dataset.Published("imdb")

// New makes a run folder in a folder of its own, and opens it.
func (m Run) New(t *testing.T) *runs.Run { return m.Add(t, t.TempDir()) }

// Add makes a run folder under dir and opens it.
func (m Run) Add(t *testing.T, dir string) *runs.Run {
	t.Helper()
	groups := []any{new(settings.Run)}
	if slices.ContainsFunc(m.Set, func(a string) bool { return strings.HasPrefix(a, "wide=") }) {
		groups = append(groups, new(struct {
			Wide string `key:"wide" default:"none"`
		}))
	}
	if strings.Contains(m.Name, "lstm") {
		groups = append(groups, new(struct {
			Hidden int `key:"lstm.hidden" default:"50"`
		}))
	}
	if slices.ContainsFunc(m.User, func(a string) bool { return strings.HasPrefix(a, "lambda=") }) {
		groups = append(groups, new(struct {
			Lambda float64 `key:"lambda" default:"0.064"`
		}))
	}
	if slices.ContainsFunc(m.Set, func(a string) bool { return strings.HasPrefix(a, "attention=") }) {
		groups = append(groups, new(struct {
			Activation string `key:"value.activation" default:"none"`
			Weights    string `key:"attention" default:"learned"`
			Base       string `key:"attention.base"`
		}))
	}
	m.Variant = cmp.Or(m.Variant, "default")
	if m.Data.Name == "" {
		m.Data = IMDB
	}
	set := must.Get(settings.New(groups...))(t)
	require.NoError(t, set.Apply("experiment", "epochs=4"))
	require.NoError(t, set.Apply("experiment", append([]string{"variant=" + m.Variant}, m.Set...)...))
	require.NoError(t, set.Apply("command line", m.User...))
	if m.Digests == nil {
		m.Digests = map[string]string{"data": cmp.Or(dataset.Published(m.Data.Name), "da7a"+m.Data.Name), "vectors": "5ec7025"}
	}
	model, _, _ := strings.Cut(m.Name[len("tme9-"):], "-")
	c := runs.NewConfig(m.Name, model, 1, set, m.Digests)
	result := runs.PresentVersion(c.Setting)
	if m.Older {
		result--
	}
	c = runs.NewConfig(m.Name, model, result, set, m.Digests)
	c.Variant, c.Data, c.Published, c.Classes = m.Variant, m.Data, m.Published, []string{"neg", "pos"}
	if m.Table != nil {
		c.Table = must.Get(runs.PutTable(dir, m.Table))(t)
	}
	w := must.Get(runs.Create(dir, c, runs.Environment{Started: time.Unix(1_800_000_000, 0), CPU: "test", SIMD: "avx2", Workers: 2, Seconds: m.Took}))(t)
	defer func() { require.NoError(t, w.Close()) }()
	if m.Epochs == 0 && m.Diverged == "" && !m.Unfinished {
		m.Epochs = c.Epochs()
	}
	checkpoint := &runs.Checkpoint{Params: m.Params, States: m.States}
	for e := 1; e <= m.Epochs; e++ {
		checkpoint.Epoch = e
		if m.Best >= e {
			checkpoint.BestEpoch, checkpoint.BestScore = e, cmp.Or(m.Valid, 80)
		}
		line := m.metrics(e)
		if !c.General().Tests(e) {
			line.TestLoss, line.TestAcc = nil, nil
		}
		require.NoError(t, w.Epoch(line, runs.Timing{Epoch: e, Seconds: 1, Words: 1e6}, m.histograms(e), checkpoint, m.Best >= e))
	}
	switch {
	case m.Diverged != "":
		require.NoError(t, w.Diverged(m.Diverged))
	case !m.Unfinished:
		if m.Predictions == nil {
			m.Predictions = &runs.Predictions{Classes: c.Classes}
		}
		if end := m.metrics(m.Epochs); end.TestAcc != nil && c.General().TestsAtEnd(m.Epochs) {
			require.NoError(t, w.Tested(end))
		}
		require.NoError(t, w.Finish(m.Predictions))
	}
	return must.Get(runs.Open(w.Path()))(t)
}

func (m Run) metrics(e int) runs.Metrics {
	n := float64(e)
	test := 82.5
	if len(m.Test) > 0 {
		test = m.Test[min(e, len(m.Test))-1]
	}
	out := runs.Metrics{
		Epoch:     e,
		TrainLoss: new(0.1 + 0.6/n), TrainAcc: new(96 - 30/n),
		TestLoss: new(0.4 + 0.01*n), TestAcc: new(test),
	}
	if m.Unlearned > 0 {
		out.TrainLoss, out.TrainAcc, out.TestLoss = new(m.Unlearned), new(51.2), new(m.Unlearned)
	}
	if slices.Contains(m.User, "test=never") || math.IsNaN(test) {
		out.TestLoss, out.TestAcc = nil, nil
	}
	if !m.NoEntropy {
		out.TrainEntropy, out.TestEntropy = new(5-0.1*n), new(4.9-0.1*n)
	}
	if m.Best > 0 {
		out.ValidLoss, out.ValidAcc = new(0.5), new(cmp.Or(m.Valid, 80))
	}
	return out
}

func (m Run) histograms(e int) []runs.Histogram {
	if m.NoEntropy {
		return nil
	}
	if m.Entropies != nil {
		return m.Entropies
	}
	var out []runs.Histogram
	for _, split := range []string{"train", "test"} {
		h := runs.NewHistogram(e, split, nil)
		for i := range h.Counts {
			d := (float64(i)+0.5)*h.Step - (5 - 0.1*float64(e))
			h.Counts[i] = int(1000 * math.Exp(-d*d/0.4))
		}
		out = append(out, h)
	}
	return out
}

// Order is the order of experiments in goldens.
var Order = strings.Fields("tme9-mean tme9-simple tme9-query tme9-values tme9-lstm tme9-bilstm tme9-lstm-last tme9-entropy tme10-self seq2seq-plain seq2seq-bahdanau seq2seq-luong")

// Build is a report of the runs.
func Build(t *testing.T, list ...*runs.Run) *tables.Report {
	t.Helper()
	return tables.Build(list, tables.Options{Order: Order})
}

// Typed returns a command as the tests expect it.
func Typed(words ...string) string { return "exp " + strings.Join(words, " ") }

// FullDisk is a writer on a full disk.
type FullDisk struct{}

func (FullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Patterned are predictions of reviews r0, r1, …: "+" is right, "-" wrong, "?" unlabelled; others are not there.
func Patterned(pattern string) *runs.Predictions {
	p := &runs.Predictions{Classes: []string{"pos", "neg"}}
	for i, c := range pattern {
		r := runs.Prediction{Review: fmt.Sprint("r", i)}
		switch c {
		case '+':
		case '-':
			r.Predicted = 1
		case '?':
			r.Label = -1
		default:
			continue
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// Side is one side of a comparison, a seed for each pattern; see Patterned.
func Side(name string, patterns ...string) compare.Side {
	s := compare.Side{Name: name}
	for i, p := range patterns {
		s.Answers = append(s.Answers, compare.NewAnswers(name, uint64(i+1), Patterned(p)))
	}
	return s
}

func slip(settings ...string) compare.Slip { return compare.Slip{Settings: settings} }

// Right returns patterns of n reviews with the given number of hits, for three seeds.
func Right(n, hits int) []string {
	one := strings.Repeat("+", hits) + strings.Repeat("-", n-hits)
	two := strings.Repeat("+", hits-1) + strings.Repeat("-", n-hits+1)
	return []string{one, two, one}
}

// Plan returns a ladder of three slips. One of them was not run alone.
func Plan() compare.LadderPlan {
	a, b, c := slip("slip.a=true"), slip("lambda=0.1", "slip.b=true"), slip("slip.c=true")
	return compare.LadderPlan{
		Title: "made up",
		Slips: []compare.Slip{a, b, c, {Settings: []string{"slip.d=true"}, Inert: "it is shown only"}},
		States: []compare.State{
			{Side: Side("original", Right(500, 300)...)},
			{Out: []compare.Slip{a}, Side: Side("without a", Right(500, 400)...)},
			{Out: []compare.Slip{b}},
			{Out: []compare.Slip{c}, Side: Side("default", Right(500, 420)...)},
		},
		Single: []compare.State{
			{Out: []compare.Slip{b}, Side: Side("b", Right(500, 420)...)},
			{Out: []compare.Slip{a}, Side: Side("a", Right(500, 350)...)},
			{Out: []compare.Slip{c}},
		},
		Bases: []compare.Side{Side("default", Right(500, 420)...), Side("default", Right(500, 420)...), Side("default", Right(500, 420)...)},
		Train: []string{"exp run made-up slip.c=true seed=1..3"},
	}
}
