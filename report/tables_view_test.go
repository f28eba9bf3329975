package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

func TestGoldenViews(t *testing.T) {
	rep := reporttest.Build(t, reporttest.Mixture(t)...)
	for _, width := range []int{60, 100, 0} {
		reporttest.Golden(t, fmt.Sprintf("report-%d.txt", width), reporttest.Text(t, rep, width))
	}
	for name, write := range map[string]func(io.Writer) error{"report.md": rep.Markdown, "report.tex": rep.LaTeX} {
		reporttest.Golden(t, name, reporttest.Written(t, write))
	}
}

func TestTextFitsEveryWidth(t *testing.T) {
	rep := reporttest.Build(t, reporttest.Mixture(t)...)
	for width := 20; width < 200; width += 7 {
		reporttest.Text(t, rep, width)
	}
	var b bytes.Buffer
	require.NoError(t, rep.Text(&b, 1, false), "narrower than any table")
}

func TestCSV(t *testing.T) {
	rep := reporttest.Build(t, reporttest.Mixture(t)...)
	b := reporttest.CSV(t, rep.Records())
	lines := must.Get(csv.NewReader(strings.NewReader(b)).ReadAll())(t)
	require.Len(t, lines, 1+11, "a line a run")
	head := map[string]int{}
	for i, h := range lines[0] {
		head[h] = i
	}
	for _, h := range []string{"id", "seed", "test_acc", "setting.lr", "setting.select", "setting.slip.whitespace", "notes"} {
		require.Contains(t, head, h)
	}
	assert.NotContains(t, head, "setting.batch", "the same in all runs")
	for i, r := range rep.Results() {
		line := lines[i+1]
		assert.Equal(t, r.Config.ID, line[head["id"]])
		acc := must.Get(strconv.ParseFloat(line[head["test_acc"]], 64))(t)
		assert.Equal(t, r.Chosen.Get("test_acc"), acc, "all digits")
		assert.Equal(t, r.Comparable(), line[head["published_test_acc"]] != "")
		assert.Equal(t, r.Comparable(), line[head["difference_points"]] != "")
		if r.Config.Name == "tme9-entropy" {
			assert.Contains(t, line[head["notes"]], "diverged: at epoch 3, step 812 (loss NaN, gradient norm 31); shown is epoch 2 of 4")
		}
	}
}

func TestMarkdownIsEscaped(t *testing.T) {
	m := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Epochs: 1, Diverged: "<script>|*x*"}
	assert.Contains(t, reporttest.Written(t, reporttest.Build(t, m.New(t)).Markdown), `&lt;script&gt;\|\*x\*`)
}

func TestNothingToReport(t *testing.T) {
	rep := tables.Build(nil, tables.Options{Dir: "runs"})
	const message = "no finished runs in runs; try: exp run tme9-simple\n"
	var text bytes.Buffer
	tex := reporttest.Written(t, rep.LaTeX)
	assert.Equal(t, "% "+message, tex)
	require.NoError(t, rep.Text(&text, 60, true))
	md := reporttest.Written(t, rep.Markdown)
	table := reporttest.CSV(t, rep.Records())
	assert.Equal(t, message, text.String())
	assert.Equal(t, message, md)
	assert.Equal(t, "no finished runs of tme10 in runs; try: exp run tme10", tables.Build(nil, tables.Options{Dir: "runs", Asked: []string{"tme10"}}).Empty())
	assert.Equal(t, 1, strings.Count(table, "\n"), "the header alone")
	assert.Empty(t, figures.Smoothed(0).Of(nil))
}

// joined returns a source without the ends of its lines, which mean a space.
func joined(source string) string { return strings.Join(strings.Fields(source), " ") }

// Beside each row stands how to cite its runs, where that is asked for, one below
// the other.
func TestCitations(t *testing.T) {
	var list []*runs.Run
	var want []string
	for _, seed := range []string{"seed=1", "seed=2"} {
		r := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Set: []string{"epochs=1"}, User: []string{seed}}.New(t)
		c := must.Get(r.Citation())(t)
		list, want = append(list, r), append(want, c.String())
	}
	b := reporttest.Written(t, tables.Build(list, tables.Options{Cite: true}).LaTeX)
	assert.Contains(t, joined(b), `& \shortstack[l]{\texttt{\scriptsize `+want[0]+`} \\ \texttt{\scriptsize `+want[1]+`}} \\ `)
	b = reporttest.Written(t, tables.Build(list, tables.Options{}).LaTeX)
	assert.NotContains(t, b, "imdbexp:")
}

// No line of source is wider than 100 characters, and no part of a table needs more: the other columns
// follow below the same rows.
func TestWideLaTeX(t *testing.T) {
	b := reporttest.Written(t, tables.Build(reporttest.Mixture(t), tables.Options{Cite: true}).LaTeX)
	parts := 0
	for line := range strings.Lines(b) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, line)
		parts += strings.Count(line, "\\begin{tabular}")
	}
	require.Greater(t, parts, strings.Count(b, "\\caption"))
	require.Equal(t, parts, strings.Count(b, "\\end{tabular}"))
}

// The commands that stand for signs; what is left of a table's text without them
// must hold no character that means something to LaTeX.
var commands = strings.NewReplacer(
	`\textbackslash{}`, "", `\textasciicircum{}`, "", `\textasciitilde{}`, "", `\textless{}`, "", `\textgreater{}`, "", `\textbar{}`, "",
	`\{`, "", `\}`, "", `\$`, "", `\&`, "", `\%`, "", `\#`, "", `\_`, "", "{[}", "", "{]}", "", "-{}-{}", "",
	"$-$", "", `$\pm$`, "", `$\Delta$`, "", `$\lambda$`, "", `$\cdot$`, "", `$\times$`, "", `\dots{}`, "")

func TestNoMessageIsACommand(t *testing.T) {
	run := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, Epochs: 1, Diverged: "loss"}.New(t)
	rapid.Check(t, func(r *rapid.T) {
		message := rapid.StringOf(rapid.SampledFrom([]rune("\\{}$&%#_^~[]<>|\"-−–±Δ…·\n\x00x1 "))).Draw(r, "message")
		run.Status.Message = "BEGIN" + message + "END"
		var b bytes.Buffer
		require.NoError(r, reporttest.Build(t, run).LaTeX(&b))
		_, text, ok := strings.Cut(joined(b.String()), "BEGIN")
		require.True(r, ok)
		text, _, ok = strings.Cut(text, "END")
		require.True(r, ok)
		assert.NotContains(r, text, "\n")
		assert.False(r, strings.ContainsAny(commands.Replace(text), "\\{}$&%#_^~\x00"), "%q", text)
	})
}

// The report counts looks at test where something can have been chosen by them, and
// says nothing where nothing can.
func TestLooksAtTest(t *testing.T) {
	looked := func(text string) report.Note { return report.Note{Kind: report.Tested, Text: text} }
	lstm := func(user ...string) reporttest.Run {
		return reporttest.Run{Name: "tme9-lstm", User: user}
	}
	byTest := reporttest.Run{Name: "tme9-lstm", Variant: "original", Best: 2, Set: []string{"select=best", "slip.choose_on_test=true"}}
	tried := looked("12 times in 3 runs of 2 settings of tme9-lstm adam default; to take the best setting is to choose on the test set")
	for name, c := range map[string]struct {
		runs []reporttest.Run
		want [][]report.Note // of each row's cells, original before default
	}{
		"seeds are no choice":     {[]reporttest.Run{lstm(), lstm("seed=2")}, [][]report.Note{nil}},
		"several settings":        {[]reporttest.Run{lstm(), lstm("seed=2"), lstm("lr=0.5")}, [][]report.Note{{tried}, {tried}}},
		"never looked at":         {[]reporttest.Run{lstm("test=never"), lstm("test=never", "lr=0.5")}, nil},
		"one looked at":           {[]reporttest.Run{lstm("test=never"), lstm("lr=0.5")}, [][]report.Note{nil}},
		"variants are no choice":  {[]reporttest.Run{lstm(), {Name: "tme9-lstm", Variant: "original", Set: []string{"slip.drop_last=true"}}}, [][]report.Note{nil, nil}},
		"epoch chosen by test":    {[]reporttest.Run{byTest}, [][]report.Note{{looked("4 times in 1 run, to choose the epoch")}}},
		"epoch chosen on the way": {[]reporttest.Run{{Name: "tme9-lstm", Best: 2, Set: []string{"select=best"}}}, [][]report.Note{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			var list []*runs.Run
			for _, m := range c.runs {
				list = append(list, m.New(t))
			}
			var got [][]report.Note
			b := reporttest.Build(t, list...).Blocks[0]
			for _, row := range b.Rows {
				for _, v := range b.Variants {
					if cell := row.Cells[v]; cell != nil {
						got = append(got, cell.Notes)
					}
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// A block is named by all of its reviews, whichever of its runs is the oldest: one may have
// been given fewer to train on.
func TestBlockOfPartlyTrained(t *testing.T) {
	few := reporttest.IMDB
	few.Train.Reviews = 6250
	part := reporttest.Run{Name: "tme9-lstm", Data: few, User: []string{"data.train=6250"}}
	whole := reporttest.Run{Name: "tme9-lstm", Published: reporttest.LSTM}
	var blocks []tables.Block
	for _, order := range [][]reporttest.Run{{part, whole}, {whole, part}} {
		var list []*runs.Run
		for _, r := range order {
			list = append(list, r.New(t))
		}
		all := reporttest.Build(t, list...).Blocks
		require.Len(t, all, 1)
		blocks = append(blocks, all[0])
		assert.Contains(t, all[0].Title, "25 000 training")
	}
	assert.Equal(t, blocks[0].Title, blocks[1].Title)
	assert.Equal(t, blocks[0].Variants, blocks[1].Variants)
}

// A number of a run that has learned nothing says so, and a mean over seeds how many of
// them it is of.
func TestRunsAtChance(t *testing.T) {
	type seed struct{ loss, test float64 } // a loss of 0: it has learned
	learned := seed{0, 82.5}
	guesses := seed{math.Ln2, 50.1}
	for name, c := range map[string]struct {
		seeds      []seed
		unfinished bool
		want       func(ids []string) string // "": no note
	}{
		"learned":        {seeds: []seed{learned, learned}},
		"one":            {seeds: []seed{guesses}, want: func([]string) string { return "its loss is at the level of guessing" }},
		"exploded":       {seeds: []seed{{40, 50}}, want: func([]string) string { return "its loss has exploded" }},
		"worse":          {seeds: []seed{{1.2 * math.Ln2, 50}}, want: func([]string) string { return "its loss is above the level of guessing" }},
		"one of three":   {seeds: []seed{learned, guesses, learned}, want: func(ids []string) string { return "1 of 3 seeds, " + ids[1] }},
		"all":            {seeds: []seed{guesses, guesses}, want: func(ids []string) string { return fmt.Sprintf("2 of 2 seeds, %s %s", ids[0], ids[1]) }},
		"above chance":   {seeds: []seed{{math.Ln2, 51.5}}},
		"a smaller loss": {seeds: []seed{{0.98 * math.Ln2, 50}}},
		"not at its end": {seeds: []seed{guesses}, unfinished: true},
	} {
		t.Run(name, func(t *testing.T) {
			var list []*runs.Run
			var ids []string
			for i, s := range c.seeds {
				m := reporttest.Run{Name: "tme9-lstm", Set: []string{fmt.Sprintf("seed=%d", i+1)},
					Published: reporttest.LSTM, Test: []float64{s.test}, Unlearned: s.loss, Unfinished: c.unfinished}
				if c.unfinished {
					m.Epochs = 2
				}
				run := m.New(t)
				list, ids = append(list, run), append(ids, run.Config.ID[:8])
			}
			rep := reporttest.Build(t, list...)
			cell := rep.Blocks[0].Rows[0].Cells["default"]
			require.Len(t, cell.Runs, len(c.seeds))
			i := slices.IndexFunc(cell.Notes, func(n report.Note) bool { return n.Kind == report.Unlearned })
			csv := reporttest.CSV(t, rep.Records())
			if c.want == nil {
				assert.Negative(t, i, "%v", cell.Notes)
				assert.NotContains(t, csv, "has not learned")
				return
			}
			require.GreaterOrEqual(t, i, 0, "%v", cell.Notes)
			assert.Equal(t, c.want(ids), cell.Notes[i].Text)
			assert.Contains(t, csv, "has not learned")
			assert.Contains(t, reporttest.Text(t, rep, 0), "has not learned: "+c.want(ids)+".")
		})
	}
}

// In one place of a pivot each run that has learned nothing is named, and whose seeds are told
// from others' is said once.
func TestPivotOfRunsAtChance(t *testing.T) {
	var list []*runs.Run
	for _, lr := range []string{"lr=0.1", "lr=0.2"} {
		list = append(list, reporttest.Run{Name: "tme9-simple", User: []string{lr}, Test: []float64{50}, Unlearned: math.Ln2}.New(t))
	}
	notes := lines(t, pivot(t, tables.PivotOptions{Rows: []string{"model"}}, list...))[0]["notes"]
	for _, run := range list {
		assert.Contains(t, notes, "has not learned: "+run.Config.ID[:8]+", its loss is at the level of guessing")
	}
	text := reporttest.Text(t, pivot(t, tables.PivotOptions{Rows: []string{"model", "lr"}}, list...), 0)
	assert.Equal(t, 1, strings.Count(text, "has not learned: its loss is at the level of guessing"), text)
}
