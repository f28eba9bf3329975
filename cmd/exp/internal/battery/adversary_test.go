package battery_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/infer/infertest"
)

// No review's answer moves by more than ε, whatever the model, and more of ε allows more.
func TestAdversary(t *testing.T) {
	test, err := battery.Lookup("adversary")
	require.NoError(t, err)
	for _, c := range []struct {
		name, settings string
		exact          bool
	}{
		{"tme9-simple", "lr=0.1", true},
		{"tme9-lstm", "lr=0.01 value.activation=tanh", true},
		{"luong", "lr=0.01", false},
		{"multihead", "pool=attention heads=2 lr=0.01", true},
		{"tme9-simple", "lr=0.1 slip.relu_logits=true", false},
	} {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			m := infertest.Open(t, c.name, append(strings.Fields(c.settings), "epochs=3")...)
			s, err := battery.NewSubject(t.Context(), m, infertest.Split(t, m, 6), nil, 1)
			require.NoError(t, err)
			defer s.Close()
			r, err := test.Run(t.Context(), s)
			require.NoError(t, err)
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
			require.Equal(t, c.exact, strings.HasPrefix(r.Notes[0], "exact"))
			figures, err := test.Draw(r, battery.Head{Name: "x"})
			require.NoError(t, err)
			require.Len(t, figures, 2)
		})
	}
	for settings, why := range map[string]string{"attention=uniform": "are not learned", "attention=frozen": "are not learned", "pool=mean": "no attention"} {
		require.Contains(t, test.Lacks(infertest.Open(t, "tme9-lstm", settings)), why)
	}
}
