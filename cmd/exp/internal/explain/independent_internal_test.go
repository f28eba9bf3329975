package explain

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/report/canvas"
	"imdbexp/report/stats"
)

// independent is testdata/independent.json, which NumPy, SciPy and scikit-learn have
// computed (independent.py beside it).
type independent struct {
	Kendall []struct {
		X, Y   []float32
		Tau, P float64
	}
	Distributions []struct {
		P, Q                  []float64
		Variation, Divergence float64
	}
	First []struct {
		X, Y    []float32
		Overlap float64
	}
	Share []struct {
		Hits, N   int
		Low, High float64
	}
	Seeds []struct {
		X               []float64
		Mean, Low, High float64
	}
	Marks []struct {
		Marked, Chosen []bool
		Score          []float64
		AUPRC, F1, IOU float64
	}
	Erasure []struct {
		Whole                                    []float64
		Without, Alone                           [][]float64
		Comprehensiveness, ComprehensivenessHalf float64
		Sufficiency, SufficiencyHalf, Gone       float64
		Flipped                                  []float64
	}
}

// Every statistic of the tests equals that of other libraries on the same numbers.
func TestAgainstSciPy(t *testing.T) {
	b := must.Get(os.ReadFile("testdata/independent.json"))(t)
	var all independent
	require.NoError(t, json.Unmarshal(b, &all))
	const within = 1e-9
	for _, c := range all.Kendall {
		tau, p := must.Get2(stats.KendallB(c.X, c.Y))(t)
		require.InDelta(t, c.Tau, tau, within)
		require.InDelta(t, c.P, p, within)
	}
	for _, c := range all.Distributions {
		require.InDelta(t, c.Divergence, jensenShannon(c.P, c.Q), within)
		require.InDelta(t, c.Variation, totalVariation(narrowed(c.P), narrowed(c.Q)), within)
	}
	for _, c := range all.First {
		require.InDelta(t, c.Overlap, shared(infer.Argsort(c.X), infer.Argsort(c.Y), topWords), within)
	}
	var r Result
	for _, c := range all.Share {
		r.share("", "", "", c.Hits, c.N)
		v := r.Values[len(r.Values)-1]
		require.InDeltaSlice(t, []float64{float64(c.Hits) / float64(c.N), c.Low, c.High}, []float64{float64(v.Value), float64(v.Low), float64(v.High)}, within)
	}
	for _, c := range all.Seeds {
		mean, i := stats.TInterval(c.X)
		require.InDeltaSlice(t, []float64{c.Mean, c.Low, c.High}, []float64{mean, i.Low, i.High}, 1e-6)
	}
	for _, c := range all.Marks {
		require.InDelta(t, c.AUPRC, stats.AUPRC(c.Marked, c.Score), within)
		f1, iou := stats.Overlap(c.Chosen, c.Marked)
		require.InDelta(t, c.F1, f1, within)
		require.InDelta(t, c.IOU, iou, within)
	}
	for _, c := range all.Erasure {
		var e erasureOf
		for i, whole := range c.Whole {
			var answers []erasedAnswer
			for k, p := range c.Without[i] {
				class := 1
				if p < 0.3 {
					class = 0
				}
				answers = append(answers, erasedAnswer{class, p}, erasedAnswer{1, c.Alone[i][k]})
			}
			e.add(1, whole, answers)
		}
		var r Result
		r.meanOf("", "", "", e.area)
		r.meanOf("", "", "", e.areaAlone)
		v := r.Values
		require.InDelta(t, c.Comprehensiveness, float64(v[0].Value), within)
		require.InDelta(t, c.ComprehensivenessHalf, float64(v[0].High-v[0].Value), within)
		require.InDelta(t, c.Sufficiency, float64(v[1].Value), within)
		require.InDelta(t, c.SufficiencyHalf, float64(v[1].High-v[1].Value), within)
		require.InDelta(t, c.Gone, average(e.gone), within)
		for k, flipped := range c.Flipped {
			require.InDelta(t, flipped, average(e.flipped[k]), within)
		}
	}
}

func average(list []float64) float64 {
	n, sum, _ := sums(list)
	return sum / n
}

func narrowed(list []float64) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = float32(v)
	}
	return out
}

// Intervals of a statistic are written alike: with both ends, if one of them is uneven.
func TestCells(t *testing.T) {
	var r Result
	r.add("m", "", "", 10, 5.5, 1, 10)
	cells := func() (out []string) {
		for _, c := range r.Tables()[0].Rows[0] {
			out = append(out, c.Text)
		}
		return out
	}
	require.Equal(t, []string{"", "5.500 ± 4.500"}, cells())
	r.share("s", "", "", 5, 10)
	require.Equal(t, []string{"", "5.500 ± 4.500", "0.500 ± 0.263"}, cells())
	r.share("s", "b", "", 1, 10) // a statistic's intervals are written alike
	require.Equal(t, []string{"", "5.500 ± 4.500", "0.500 (0.237–0.763)"}, cells())
}

func TestConclusion(t *testing.T) {
	agree, erase, other := &Result{Test: "agreement"}, &Result{Test: "erasure"}, &Result{Test: "sanity"}
	agree.add("τ", "gradient × input", "", 9, 0.3, 0.2, 0.4)
	for of, x := range map[string]float64{"attention": 0.4, "random": 0.1} {
		erase.add(eraserComprehensiveness, of, "", 9, x, x, x)
	}
	require.Equal(t, []string{
		"Attention and gradients partly agree about which words count: Kendall's τ is 0.300, where 1 is the same order and 0 is chance.",
		"Removing the most attended words lowers the probability by 0.400 on average, random words by 0.100; no other score finds words that clearly matter more.",
	}, (&Explained{Results: []*Result{agree, erase, other, {Test: "adversary", Lacks: "no attention"}, {Test: "permutation"}}}).Conclusion())
}

// The bars of a figure end where the table's intervals do: a share of 0.98 of few reviews
// may be 0.9, but not 1.04.
func TestErasureIsDrawnWithinItsIntervals(t *testing.T) {
	r := &Result{Test: "erasure"}
	for range eraseShares {
		r.share("decisions flipped", "attention", "10 %", 58, 60)
		r.add("comprehensiveness", "attention", "10 %", 60, 0.9, 0.7, 1.1)
		r.add("sufficiency", "attention", "10 %", 60, 0.1, -0.1, 0.3)
	}
	r.clip()
	figures := new(Explained).Draw(r)
	require.Contains(t, figures[0].Caption, "bars: 95 % intervals")
	panels := figures[0].Panels(canvas.Style{Unit: 1})
	var ends [][2]float64 // of the axes, whose margins are alike
	for _, p := range panels {
		ends = append(ends, [2]float64{p.Y.Min, p.Y.Max})
	}
	const margin = 0.04
	low, high := float64(r.Values[0].Low), float64(r.Values[0].High)
	comprehensiveness, sufficiency, flipped := 0.3, 0.4, high-low
	require.InDelta(t, 1+margin*comprehensiveness, ends[0][1], 1e-9)
	require.InDelta(t, -0.1-margin*sufficiency, ends[1][0], 1e-9)
	require.InDelta(t, high+margin*flipped, ends[2][1], 1e-9)
	require.InDelta(t, low-margin*flipped, ends[2][0], 1e-9)
	require.Greater(t, 58.0/60+flipped/2, 1.0, "half of its width on either side would pass 1")
}
