package battery_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/infertest"
	"imdbexp/internal/testkit/testmodel"
)

// A run is no way from itself, and some way from one of another seed.
func TestRetrained(t *testing.T) {
	test, err := battery.Lookup("retrained")
	require.NoError(t, err)
	m := infertest.Open(t, "tme9-simple")
	reviews := infertest.Split(t, m, 5)
	s, err := battery.NewSubject(t.Context(), m, reviews, nil, 1)
	require.NoError(t, err)
	defer s.Close()
	r, err := test.Run(t.Context(), s)
	require.NoError(t, err)
	require.Contains(t, r.Lacks, "no run to compare it with")
	for _, p := range []struct{ kind, title, model, seed string }{
		{battery.PeerSeed, "itself", "tme9-simple", "1"}, {battery.PeerSeed, "another", "tme9-simple", "2"}, {battery.PeerControl, "mean", "tme9-mean", "1"},
	} {
		s.Peers = append(s.Peers, battery.Peer{Kind: p.kind, Title: p.title, Open: func(context.Context) (*infer.Model, *infer.Split, error) {
			run, pool := testmodel.Train(t, p.model, "seed="+p.seed)
			m, err := infer.Open(run, pool)
			require.NoError(t, err)
			return m, infertest.Split(t, m, 5), nil
		}})
	}
	r, err = test.Run(t.Context(), s)
	require.NoError(t, err)
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
	// Of one peer a share of ten reviews: all of the same class are Wilson's 10/(10 + 1.96²) to 1.
	for _, v := range r.Values {
		if v.Statistic == "same class" && v.Of == "itself" {
			require.InDelta(t, 10/(10+1.959964*1.959964), float64(v.Low), 1e-6)
			require.InDelta(t, 1, float64(v.High), 1e-12)
		}
	}
	_, err = test.Draw(r, battery.Head{Name: "x"})
	require.NoError(t, err)
}
