package explain

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/sample"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/infertest"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/report/stats"
)

// A run does not differ from itself, and it differs from a run with another seed.
func TestRetrained(t *testing.T) {
	test := Named("retrained")
	run, _ := testmodel.Train(t, "tme9-simple")
	s := subject(t, run, 1, 10)
	r := must.Get(test.Run(t.Context(), s))(t)
	require.Contains(t, r.Lacks, "no run to compare it with")
	another, _ := testmodel.Train(t, "tme9-simple", "seed=2")
	mean, _ := testmodel.Train(t, "tme9-mean")
	s.peers = []peer{{"itself", run}, {"another", another}, {"mean", mean}}
	r = must.Get(test.Run(t.Context(), s))(t)
	of := map[string]float64{}
	for _, v := range r.Values {
		of[v.Statistic+" "+v.Of] = float64(v.Value)
	}
	require.Zero(t, of["divergence of weights itself"])
	require.Zero(t, of["difference of answers itself"])
	require.Equal(t, 1.0, of["same class itself"])
	require.Positive(t, of["divergence of weights another"])
	require.Positive(t, of["difference of answers another"])
	require.NotContains(t, of, "divergence of weights mean")
	require.Contains(t, of, "difference of answers mean")
	// One peer and ten reviews: Wilson's interval of the share 10 of 10 is 10/(10 + 1.96²) to 1.
	for _, v := range r.Values {
		if v.Statistic == "same class" && v.Of == "itself" {
			require.InDelta(t, 10/(10+1.959964*1.959964), float64(v.Low), 1e-6)
			require.InDelta(t, 1, float64(v.High), 1e-12)
		}
	}
}

// No review's answer changes by more than ε, for any model. A larger ε allows a larger divergence.
func TestAdversary(t *testing.T) {
	test := Named("adversary")
	for _, c := range []struct {
		name, settings string
	}{
		{"tme9-simple", "lr=0.1"},
		{"tme9-lstm", "lr=0.01 value.activation=tanh"},
		{"multihead", "pool=attention heads=2 lr=0.01"},
	} {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			run, _ := testmodel.Train(t, c.name, append(strings.Fields(c.settings), "epochs=3")...)
			s := subject(t, run, 1, 12)
			r := must.Get(test.Run(t.Context(), s))(t)
			before, bounds := 0.0, 0
			for _, v := range r.Values {
				bound, err := strconv.ParseFloat(strings.TrimPrefix(v.Of, "ε = "), 64)
				switch {
				case v.Statistic == "largest change":
					require.NoError(t, err)
					require.LessOrEqual(t, float64(v.Value), bound)
					bounds++
				case v.Statistic == "divergence":
					require.GreaterOrEqual(t, float64(v.Value), before-1e-9)
					require.LessOrEqual(t, float64(v.Value), math.Ln2)
					before = float64(v.Value)
				}
			}
			require.Equal(t, 5, bounds)
			require.Greater(t, before, 0.4)
		})
	}
	require.Contains(t, test.lacks(infertest.Open(t, "luong")), "not linear in the weights")
	require.Contains(t, test.lacks(infertest.Open(t, "tme9-simple", "slip.relu_logits=true")), "not linear in the weights")
	for settings, why := range map[string]string{"attention=uniform": "are not learned", "attention=frozen": "are not learned", "pool=mean": "no attention"} {
		require.Contains(t, test.lacks(infertest.Open(t, "tme9-lstm", settings)), why)
	}
}

// The words marked in the sample are its verdicts. Each number is a mean over reviews.
func TestPlausibility(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple")
	s := subject(t, run, 1, 30).only(scores.Attention, scores.Random)
	split := s.Reviews
	marked := must.Get(s.Model.Marked(t.Context(), t.TempDir(), "sample", split, folder.Options{}))(t)
	_, test := sample.Reviews()
	verdicts := map[string]int{}
	for _, r := range test {
		verdicts[r.ID] = len(r.Verdict)
	}
	for i, list := range marked {
		n := 0
		for _, m := range list {
			if m {
				n++
			}
		}
		require.Equal(t, verdicts[split.Names[i]], n, split.Names[i])
	}
	r := must.Get(Named("plausibility").Run(t.Context(), s))(t)
	list := must.Get(s.Compute(t.Context(), s.Scores[0]))(t)
	area, first := 0.0, 0.0
	for i, weights := range list {
		wide := make([]float64, len(weights))
		for k, w := range weights {
			wide[k] = float64(w)
		}
		area += stats.AUPRC(marked[i], wide) / float64(len(list))
		if marked[i][infer.Argsort(weights)[0]] {
			first += 1 / float64(len(list))
		}
	}
	require.Equal(t, []string{"AUPRC", "token F1", "intersection over union", "first word marked"}, []string{r.Values[0].Statistic, r.Values[1].Statistic, r.Values[2].Statistic, r.Values[3].Statistic})
	require.InDelta(t, area, float64(r.Values[0].Value), 1e-12)
	require.InDelta(t, first, float64(r.Values[3].Value), 1e-12)
	wilson := stats.Wilson(first*30, 30)
	require.InDelta(t, wilson.High, float64(r.Values[3].High), 1e-12, "of a share, as each review has its first word marked or not")
	require.Contains(t, r.Notes[0], "30 of the reviews have marked words")

	// Equal weights give about the numbers of random weights, without their noise.
	equal := r.Values[len(r.Values)-4:]
	chance := r.Values[len(r.Values)-8:]
	for i, v := range equal {
		require.Equal(t, "equal weights", v.Of)
		if v.Statistic != "AUPRC" { // any order, random or not, has a larger one than no order
			require.InDelta(t, float64(v.Value), float64(chance[i].Value), 0.12, v.Statistic)
		}
	}
	prevalence := 0.0
	for _, m := range marked {
		prevalence += stats.AUPRC(m, make([]float64, len(m))) / float64(len(marked))
	}
	require.InDelta(t, prevalence, float64(equal[0].Value), 1e-12)
}
