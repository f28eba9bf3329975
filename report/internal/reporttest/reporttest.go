package report_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
	"imdbexp/report"
	"imdbexp/runs"
)

// made describes a run folder to make.
type made struct {
	name, variant string
	set           []string // key=value by the experiment
	user          []string // key=value by the user
	data          runs.DataFacts
	digests       map[string]string
	published     *runs.Published
	older         bool      // by a result version
	epochs        int       // to write; 0: as many as set
	test          []float64 // test accuracy of each epoch; the last goes on
	best          int       // epoch with the best validation score
	valid         float64   // validation accuracy; 0: 80
	diverged      string
	unfinished    bool
	noEntropy     bool
	predictions   *runs.Predictions // nil: none
}

var (
	imdb   = runs.DataFacts{Name: "imdb", Train: runs.Part{Reviews: 25000, Words: 5_800_000}, Test: runs.Part{Reviews: 25000, Words: 5_700_000}}
	sample = runs.DataFacts{Name: "sample", Train: runs.Part{Reviews: 2000, Words: 80_000}, Test: runs.Part{Reviews: 1000, Words: 40_000}}
)

var lstm = &runs.Published{
	Row: "LSTM + attention, Adam", TrainLoss: 0.102, TestLoss: 0.619, TrainAcc: 96.49, TestAcc: 82.99,
	Epochs: 4, Source: "table 1",
}

// add makes a run folder under dir and opens it.
func (m made) add(t *testing.T, dir string) *runs.Run {
	t.Helper()
	var s settings.Run
	set, err := settings.New(&s)
	require.NoError(t, err)
	require.NoError(t, set.Apply("experiment", "epochs=4"))
	require.NoError(t, set.Apply("experiment", m.set...))
	require.NoError(t, set.Apply("command line", m.user...))
	if m.digests == nil {
		m.digests = map[string]string{"data": "da7a" + m.data.Name, "vectors": "5ec7025"}
	}
	model, _, _ := strings.Cut(m.name[len("tme9-"):], "-")
	result := 1
	if m.older {
		result = 0
	}
	c := runs.NewConfig(m.name, model, result, set, m.digests)
	c.Variant, c.Data, c.Published, c.Classes = m.variant, m.data, m.published, []string{"neg", "pos"}
	w, err := runs.Create(dir, c, runs.Environment{Started: time.Unix(1_800_000_000, 0)})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	if m.epochs == 0 && m.diverged == "" && !m.unfinished {
		m.epochs = c.Epochs()
	}
	checkpoint := &runs.Checkpoint{}
	for e := 1; e <= m.epochs; e++ {
		checkpoint.Epoch = e
		if m.best >= e {
			checkpoint.BestEpoch = e
		}
		require.NoError(t, w.Epoch(m.metrics(e), runs.Timing{Epoch: e, Seconds: 1, Words: 1e6}, m.histograms(e), checkpoint, m.best >= e))
	}
	switch {
	case m.diverged != "":
		require.NoError(t, w.Diverged(m.diverged))
	case !m.unfinished:
		if m.predictions == nil {
			m.predictions = &runs.Predictions{Classes: c.Classes}
		}
		require.NoError(t, w.Finish(m.predictions))
	}
	run, err := runs.Open(w.Path())
	require.NoError(t, err)
	return run
}

func (m made) metrics(e int) runs.Metrics {
	n := float64(e)
	test := 82.5
	if len(m.test) > 0 {
		test = m.test[min(e, len(m.test))-1]
	}
	out := runs.Metrics{
		Epoch:     e,
		TrainLoss: runs.Number(0.1 + 0.6/n), TrainAcc: runs.Number(96 - 30/n),
		TestLoss: runs.Number(0.4 + 0.01*n), TestAcc: runs.Number(test),
	}
	if slices.Contains(m.user, "test=never") {
		out.TestLoss, out.TestAcc = nil, nil
	}
	if !m.noEntropy {
		out.TrainEntropy, out.TestEntropy = runs.Number(5-0.1*n), runs.Number(4.9-0.1*n)
	}
	if m.best > 0 {
		out.ValidLoss, out.ValidAcc = runs.Number(0.5), runs.Number(cmp.Or(m.valid, 80))
	}
	return out
}

func (m made) histograms(e int) []runs.Histogram {
	if m.noEntropy {
		return nil
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

func build(t *testing.T, list ...*runs.Run) *report.Report {
	t.Helper()
	return report.Build(list, report.Options{})
}
