package main

import (
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/runs"
)

// opened trains an experiment with settings on the sample, and opens its model and data.
func opened(t *testing.T, assignments string) (*runs.Run, *infer.Model, *dataset.Corpus) {
	t.Helper()
	list := strings.Fields(assignments)
	run, pool := testmodel.Train(t, list[0], list[1:]...)
	m := must.Get(infer.Open(run, pool))(t)
	t.Cleanup(func() { m.Close() })
	corpus := must.Get(m.OpenCorpus(t.Context(), t.TempDir(), "sample", folder.Options{}))(t)
	return run, m, corpus
}

// readJSON runs a command in a pipe that must print JSON and nothing else.
func readJSON(t *testing.T, to any, args ...string) {
	t.Helper()
	var out, errs output
	require.Equal(t, exitOK, execute(t.Context(), term.New(&out, &errs, 0, false), append(args, "--format", "json")), errs.String())
	require.NoError(t, json.Unmarshal([]byte(out.String()), to))
}

// spread is what exp attend --spread says of one head.
type spread struct {
	Layer, Head, Reviews     int
	Variance, Entropy, Slope float64
	Unscaled                 float64 `json:"unscaled_variance"`
	OfLogN                   float64 `json:"of_log_n"`
	Largest                  float64 `json:"largest_weight"`
}

// spreadsOf asks for the spreads of 10 reviews of each class. What the network itself compares by queries
// and keys is computed again here, by the definitions.
func spreadsOf(t *testing.T, run *runs.Run, m *infer.Model, corpus *dataset.Corpus, reviews int) (out []spread) {
	t.Helper()
	ask := []string{"attend", run.Path, "--spread", "--limit", "10"}
	if run.Config.Name == "tme10-cls" {
		require.Contains(t, on(t, 100, false, exitOK, ask...), " 1 of "+strconv.Itoa(reviews)+" reviews", "the progress")
	}
	readJSON(t, &out, ask...)
	last, want := 0, make([]spread, len(out))
	require.NoError(t, m.ReadScores(t.Context(), corpus, dataset.Test, 10, func(done, of int, weighing func(head int) ops.Weighing) error {
		require.Equal(t, []int{last + 1, reviews}, []int{done, of})
		last = done
		for h := range out {
			if w := weighing(h); !w.Additive {
				spreadOf(&want[h], w, reviews)
			}
		}
		return nil
	}))
	require.Equal(t, reviews, last)
	for h, x := range out {
		require.Equal(t, reviews, x.Reviews)
		if w := want[h]; w.Largest > 0 {
			require.InEpsilonSlice(t, []float64{w.Variance, w.Unscaled, w.Entropy, w.OfLogN, w.Largest, w.Slope}, []float64{x.Variance, x.Unscaled, x.Entropy, x.OfLogN, x.Largest, x.Slope}, 1e-6)
		}
	}
	return out
}

// spreadOf adds the spread of a review to the mean over n: over its queries whose results are read the
// words that each of them compares, or over its words the queries that compete for each.
func spreadOf(to *spread, w ops.Weighing, n int) {
	compared, by := w.Keys, w.Queries
	if w.OverQueries {
		compared, by = w.Queries, w.Keys
	} else {
		by.Rows = w.Read
	}
	length := float64(compared.Rows)
	for i := range by.Rows {
		var scores, weights []float64
		sum, mean := 0.0, 0.0
		for j := range compared.Rows {
			score := 0.0
			for d, x := range compared.Row(j) {
				score += x * by.Row(i)[d]
			}
			scores, mean, sum = append(scores, score), mean+score/length, sum+math.Exp(w.Scale*score)
		}
		square, entropy, squares := 0.0, 0.0, 0.0
		for _, score := range scores {
			a := math.Exp(w.Scale*score) / sum
			weights, square, squares, entropy = append(weights, a), square+(score-mean)*(score-mean)/length, squares+a*a, entropy-a*math.Log(a)
		}
		all := float64(by.Rows * n)
		to.Unscaled, to.Variance = to.Unscaled+square/all, to.Variance+w.Scale*w.Scale*square/all
		to.Entropy, to.OfLogN = to.Entropy+entropy/all, to.OfLogN+entropy/math.Log(length)/all
		to.Largest, to.Slope = to.Largest+slices.Max(weights)/all, to.Slope+(1-squares)/all
	}
}

// The softmax that is measured is the run's own: its entropies over all test reviews are
// those that the run has kept. What a variance is scaled by is known.
func TestScoreSpreads(t *testing.T) {
	folders(t)
	for assignments, scale := range map[string]float64{
		"tme10-self heads=2 layers=2 key.width=9":                   1.0 / 3,
		"tme10-self heads=2 layers=2 key.width=9 scale=none":        1,
		"tme10-cls variant=original layers=2 layer.dropout=0":       1 / math.Sqrt(50),
		"tme10-self norm=layer pool=attention layers=1 key.width=4": 0.5,
		"tme9-lstm":                    1,
		"tme9-simple":                  1,
		"additive":                     1,
		"luong score=concat":           1,
		"luong score=dot scale=sqrt_k": 0.1, // states of 100 numbers
		"multihead":                    1 / math.Sqrt(10),
		"transformer":                  1 / math.Sqrt(10),
	} {
		t.Run(assignments, func(t *testing.T) {
			run, m, corpus := opened(t, assignments+" data.limit=10")
			reviews := 20
			if m.BatchDependent() {
				reviews = 16 // one batch: slip.drop_last
			}
			metrics := must.Get(run.Metrics())(t)
			heads := spreadsOf(t, run, m, corpus, reviews)
			for _, h := range heads {
				want := metrics[0].TestEntropy
				if h.Layer > 0 {
					want = &metrics[0].TestHeads[h.Layer-1][h.Head-1].Nats
				}
				require.InDelta(t, *want, h.Entropy, 1e-4)
				by := scale
				if h.Layer == 0 && len(heads) > 1 {
					by = 1 // words are not scaled where layers are
				}
				require.InEpsilon(t, h.Variance, h.Unscaled*by*by, 1e-6)
				require.Positive(t, h.Unscaled)
				require.Greater(t, h.Largest, 1-h.Slope-1e-9, "Σα² is at most the largest weight")
				require.LessOrEqual(t, h.OfLogN, 1+1e-9)
			}
		})
	}
}

// Of the last layer before [CLS] goes on alone, its query is measured and no other.
func TestScoreSpreadOfCLS(t *testing.T) {
	folders(t)
	run, m, corpus := opened(t, "tme10-cls layers=2 data.limit=10")
	heads := spreadsOf(t, run, m, corpus, 20)
	metrics := must.Get(run.Metrics())(t)
	require.InDelta(t, metrics[0].TestHeads[0][0].Nats, heads[0].Entropy, 1e-4)
	sum, n := 0.0, 0
	require.NoError(t, m.ReadSplit(t.Context(), corpus, dataset.Test, 10, infer.Selection{}, func(list []infer.Reading) error {
		for _, r := range list {
			sum, n = sum+r.Attended.Entropy, n+1
		}
		return nil
	}))
	require.Equal(t, n, heads[1].Reviews)
	require.InDelta(t, sum/float64(n), heads[1].Entropy, 1e-4)
	require.NotEqual(t, metrics[0].TestHeads[1][0].Nats, heads[1].Entropy)
}

// Without scores there is an error.
func TestNoScoresToMeasure(t *testing.T) {
	folders(t)
	for assignments, want := range map[string]string{
		"tme9-mean":                     "the model does not compare words, so it has no scores",
		"tme9-lstm-mean":                "the model does not compare words, so it has no scores",
		"tme9-lstm members=2":           "each of its 2 networks has its own scores; use a run with members=1",
		"tme9-simple attention=uniform": "this attention has no scores: attention=uniform and imposed weights have none, and an op of attention shows its own if it has the method weighing (CONTRIBUTING.md)",
		"tme9-simple data.max_len=1":    "none of the 4 reviews has two words to compare",
	} {
		t.Run(assignments, func(t *testing.T) {
			run, _ := testmodel.Train(t, strings.Fields(assignments)[0], append(strings.Fields(assignments)[1:], "data.limit=2")...)
			require.Equal(t, "exp: "+run.Label()+": "+want+"\n", on(t, 0, false, exitUsage, "attend", run.Path, "--spread", "--limit", "2"))
		})
	}
}

// The drawing shows the model's input: the same words, the trained vectors with the run's positions, and
// padding with positions only.
func TestDots(t *testing.T) {
	_, flags := folders(t)
	const text = "The cast is great , but xyzzy is not ."
	file := filepath.Join(t.TempDir(), "dots.svg")
	for assignments, c := range map[string]struct {
		front  []string
		layout ops.PositionLayout
		base   float64
		padded int
	}{
		"tme9-simple vectors.train=true variant=original":              {nil, ops.Interleaved, 10000, 915},
		"tme9-lstm oov=learned data.max_len=5":                         {nil, ops.Interleaved, 10000, 915},
		"tme9-mean oov=masked tokens=whitespace":                       {nil, ops.Interleaved, 10000, 915},
		"tme10-cls-pe positions=halves positions.base=1000":            {[]string{"[CLS]"}, ops.Halves, 1000, 915},
		"tme10-pe positions=learned positions.max=100 data.max_len=0":  {nil, ops.Interleaved, 0, 100},
		"tme10-pe positions=learned positions.max=60 data.max_len=60 ": {nil, ops.Interleaved, 0, 60},
	} {
		t.Run(assignments, func(t *testing.T) {
			run, m, _ := opened(t, assignments)
			ask := append([]string{"attend", run.Path, "--dots", "--out", file}, flags...)
			ok(t, append(ask, text)...)
			svg := string(must.Get(os.ReadFile(file))(t))

			v, d := must.Get(m.View(text, infer.Selection{}))(t), m.Dim()
			words := append(c.front, infer.Texts(v.Words)...)
			var named []string // at the columns, with a blank behind each
			for _, label := range regexp.MustCompile(`>([^<]+) </text>`).FindAllStringSubmatch(svg, -1) {
				named = append(named, label[1])
			}
			require.Equal(t, words, named)

			rows := make([]float32, c.padded*d)
			if c.front != nil {
				copy(rows, must.Get(m.Weight("cls"))(t))
			}
			for i, row := range m.Encode(text).Rows {
				copy(rows[(len(c.front)+i)*d:], m.Vector(row))
			}
			if c.base == 0 {
				simd.Add(rows, must.Get(m.Weight("positions"))(t))
				if strings.Contains(assignments, "max_len=0") {
					require.Contains(t, on(t, 0, false, exitFailed, append(ask, strings.Repeat("good ", 101))...), "has 101 words, but the run has learned 100 positions")
				}
			} else {
				for i := range c.padded {
					row := make([]float32, d)
					ops.PositionEncoding(row, i, d, c.base, c.layout)
					simd.Add(rows[i*d:][:d], row)
				}
			}
			low, high := float32(math.Inf(1)), float32(math.Inf(-1))
			products := make([][]float32, c.padded)
			for i := range products {
				products[i] = make([]float32, c.padded)
				simd.DotRows(products[i], rows, d, d, rows[i*d:][:d])
				if i >= len(c.front) {
					low, high = min(low, slices.Min(products[i][len(c.front):])), max(high, slices.Max(products[i][len(c.front):]))
				}
			}
			pictures := regexp.MustCompile(`base64,([^"]+)"`).FindAllStringSubmatch(svg, -1)
			require.Len(t, pictures, 2)
			for k, n := range []int{len(words), c.padded} {
				p := must.Get(png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(pictures[k][1]))))(t).(*image.Paletted)
				for i := range n {
					for j := range n {
						shade := math.Round(254 * min(1, max(0, (float64(products[i][j])-float64(low))/(float64(high)-float64(low)))))
						if got := p.ColorIndexAt((2*j+1)*p.Rect.Dx()/(2*n), (2*i+1)*p.Rect.Dy()/(2*n)); got != uint8(shade) {
							require.Fail(t, "another colour", "%d, %d: %d, not %v", i, j, got, shade)
						}
					}
				}
			}
		})
	}
}

// A text without any n-gram of the training reviews gets no table, not one with only a header.
func TestContributionsOfNothing(t *testing.T) {
	_, flags := folders(t)
	run, _ := testmodel.Train(t, "nbsvm")
	require.NotContains(t, ok(t, append(flags, "attend", run.Path, "xyzzy")...), "pushes")
	require.Regexp(t, `\n +n-gram .* pushes .*\n +1 +good .*\n\n`, ok(t, append(flags, "attend", run.Path, "good")...))
}

// A table has a column for each word of the source. Its rows fit the width; the columns continue below.
func TestAlignmentText(t *testing.T) {
	_, flags := folders(t)
	run, _ := testmodel.Train(t, "seq2seq-bahdanau")
	for source, width := range map[string]int{
		"carpet": 60, "the red carpet": 20, "the king and the queen see the red carpet of the dog": 60,
		strings.Repeat("an extraordinarily long word is longer than others ", 3): 60, // weights below 0.05
	} {
		ask := append(flags, "attend", run.Path, source)
		var a attend.Aligned
		readJSON(t, &a, ask...)
		require.Equal(t, strings.Fields(source), a.Columns)
		want := make([]string, len(a.Rows))
		for i, row := range a.Weights {
			want[i] = a.Rows[i]
			for _, w := range row {
				cell := "·"
				if w >= 0.05 {
					cell = strconv.Itoa(min(9, int(10*w)))
				}
				want[i] += " " + cell
			}
		}
		text := on(t, width, false, exitOK, ask...)
		_, table, _ := strings.Cut(text, ")\n\n")
		table, key, found := strings.Cut(table, "\n\n  weights in tenths,")
		require.True(t, found, text)
		require.Contains(t, strings.Join(strings.Fields(key), " "), "· below 0.05")
		var heads []string
		got := make([]string, len(a.Rows))
		for i, line := range strings.Split(strings.ReplaceAll(table, "\n\n", "\n"), "\n") {
			require.LessOrEqual(t, term.Width(line), width, line)
			words := strings.Fields(line)
			if k := i % (len(a.Rows) + 1); k == 0 {
				heads = append(heads, words...)
			} else if got[k-1] == "" {
				got[k-1] = strings.Join(words, " ")
			} else {
				require.Equal(t, a.Rows[k-1], words[0])
				got[k-1] += " " + strings.Join(words[1:], " ")
			}
		}
		require.Equal(t, a.Columns, heads)
		require.Equal(t, want, got)
	}
}
