package report_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

func pivot(t *testing.T, o tables.PivotOptions, list ...*runs.Run) *tables.Pivot {
	t.Helper()
	p := must.Get(tables.NewPivot(list, tables.Options{Order: reporttest.Order}, o))(t)
	return p
}

// lines returns the CSV of a pivot as maps from head to field.
func lines(t *testing.T, p *tables.Pivot) []map[string]string {
	t.Helper()
	b := reporttest.CSV(t, p.Records())
	all := must.Get(csv.NewReader(strings.NewReader(b)).ReadAll())(t)
	var out []map[string]string
	for _, l := range all[1:] {
		m := map[string]string{}
		for i, h := range all[0] {
			m[h] = l[i]
		}
		out = append(out, m)
	}
	return out
}

func TestPivot(t *testing.T) {
	var list []*runs.Run
	for _, rate := range []string{"lr=0.1", "lr=0.01"} {
		for i, seed := range []string{"seed=1", "seed=2", "seed=10"} {
			m := reporttest.Run{Name: "tme9-simple", User: []string{rate, seed}, Test: []float64{80 + float64(i)}}
			list = append(list, m.New(t))
		}
	}
	list = append(list, reporttest.Run{Name: "tme9-mean", Test: []float64{74}}.New(t))
	p := pivot(t, tables.PivotOptions{Rows: []string{"model"}, Cols: []string{"lr"}}, list...)
	got := lines(t, p)
	require.Len(t, got, 3)
	assert.Equal(t, "mean", got[0]["model"], "in the order of the published report")
	assert.Equal(t, []string{"0.01", "0.1"}, []string{got[1]["lr"], got[2]["lr"]}, "numbers by size")
	assert.Equal(t, []string{"81", "1", "3", ""}, []string{got[1]["test_acc"], got[1]["sd"], got[1]["seeds"], got[1]["notes"]})
	assert.Len(t, strings.Fields(got[1]["runs"]), 3)

	text := reporttest.Text(t, p, 0)
	assert.Contains(t, text, "Test accuracy by model and lr. IMDB: 25 000 training and 25 000 test reviews")
	assert.Regexp(t, `simple +81.00 ± 1.00 \(3\) +81.00 ± 1.00 \(3\)\n`, text)
	assert.Contains(t, text, "lr=0.01")
}

func TestPivotNeverMixes(t *testing.T) {
	base := reporttest.Run{Name: "tme9-simple", Test: []float64{80}}
	with := func(change func(*reporttest.Run)) reporttest.Run {
		m := base
		m.Test = []float64{82}
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		other reporttest.Run
		cell  string // what the text shows
		note  string
	}{
		"seed":      {with(func(m *reporttest.Run) { m.Set = []string{"seed=2"} }), "81.00 ± 1.41 (2)", ""},
		"setting":   {with(func(m *reporttest.Run) { m.User = []string{"lr=0.5"} }), "80.00…82.00¹", "not averaged: runs that differ in lr; add what differs to the rows or columns, or name the runs to show"},
		"two":       {with(func(m *reporttest.Run) { m.Set = []string{"seed=2"}; m.User = []string{"lr=0.5", "clip=1"} }), "80.00…82.00¹", "runs that differ in clip, lr;"},
		"optimizer": {with(func(m *reporttest.Run) { m.Set = []string{"optimizer=sgd", "lr=0.5"} }), "80.00…82.00¹", "runs that differ in lr, optimizer|runs that differ in optimizer, lr"},
		"variant": {
			with(func(m *reporttest.Run) { m.Variant = "original"; m.Set = []string{"slip.whitespace=true"} }),
			"80.00…82.00¹", "runs that differ in .*slip.whitespace",
		},
		"vectors": {
			with(func(m *reporttest.Run) {
				m.Digests = map[string]string{"data": reporttest.IMDBDigest, "vectors": "0ther"}
			}),
			"80.00…82.00¹", "runs that differ in their data or vectors;",
		},
		"same seed":    {with(func(*reporttest.Run) {}), "80.00…82.00¹", "not averaged: seed 1 occurs more than once"},
		"unfinished":   {with(func(m *reporttest.Run) { m.Set = []string{"seed=2"}; m.Unfinished = true; m.Epochs = 2 }), "80.00¹", "unfinished: tme9-simple/"},
		"diverged":     {with(func(m *reporttest.Run) { m.Set = []string{"seed=2"}; m.Diverged = "loss"; m.Epochs = 2 }), "80.00¹", "diverged: tme9-simple/"},
		"older result": {with(func(m *reporttest.Run) { m.Older = true }), "80.00¹", "older result: tme9-simple/"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pivot(t, tables.PivotOptions{Rows: []string{"model"}}, base.New(t), c.other.New(t))
			text := reporttest.Text(t, p, 0)
			assert.Contains(t, text, " "+c.cell+"\n")
			if c.note != "" {
				assert.Regexp(t, strings.NewReplacer("(", `\(`, ")", `\)`).Replace(c.note), text)
			}
			for _, l := range lines(t, p) {
				if n := len(strings.Fields(l["runs"])); name != "seed" {
					assert.Equal(t, 1, n, "a line a setting")
				}
			}
		})
	}
}

func TestPivotValues(t *testing.T) {
	predictions := &runs.Predictions{Classes: []string{"neg", "pos"}, Rows: []runs.Prediction{
		{Review: "a", Label: 0, Predicted: 0, P: []float32{1, 0}}, {Review: "b", Label: 1, Predicted: 1, P: []float32{0, 1}},
	}}
	m := reporttest.Run{Name: "tme9-simple", Test: []float64{80}, Predictions: predictions}
	one := m.New(t)
	want := map[string]string{"test_acc": "80", "train_loss": "0.25", "test_loss": "0.44", "valid_acc": "", "test_entropy": "4.5", "macro_f1": "100"}
	for _, v := range tables.PivotValues() {
		got := lines(t, pivot(t, tables.PivotOptions{Value: v}, one))
		require.Len(t, got, 1)
		require.Contains(t, got[0], v)
		if w, ok := want[v]; ok {
			assert.Equal(t, w, got[0][v], v)
		}
	}
}

func TestPivotErrors(t *testing.T) {
	one := reporttest.Run{Name: "tme9-simple"}.New(t)
	for want, o := range map[string]tables.PivotOptions{
		`no run has a setting "lrr"`:                {Rows: []string{"lrr"}},
		"lr is named twice":                         {Rows: []string{"lr"}, Cols: []string{"lr"}},
		`no value "acc": use one of test_acc, trai`: {Value: "acc"},
	} {
		assert.ErrorContains(t, must.Fail(tables.NewPivot([]*runs.Run{one}, tables.Options{}, o)), want)
	}
	text := reporttest.Text(t, pivot(t, tables.PivotOptions{Rows: []string{"anything"}}), 60)
	assert.Equal(t, "no finished runs in the runs folder; try: exp run tme9-simple\n", text)
}

func TestPivotViews(t *testing.T) {
	p := pivot(t, tables.PivotOptions{Rows: []string{"experiment"}, Cols: []string{"optimizer", "variant", "select"}}, reporttest.Mixture(t)...)
	reporttest.Golden(t, "pivot-60.txt", reporttest.Text(t, p, 60))
	reporttest.Golden(t, "pivot.md", reporttest.Written(t, p.Markdown))
	assert.Contains(t, reporttest.Written(t, p.LaTeX), "Test accuracy by experiment, optimizer, variant and select")
}
