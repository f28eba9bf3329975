package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/plan"
	"imdbexp/internal/testkit/must"
)

// The two originals of TME 10 are lists of slips: of what was printed, each row with its
// epochs, and of the code that was published.
func TestVariants(t *testing.T) {
	of := func(words ...string) *plan.Plan {
		plans := must.Get(plan.Resolve(t.Context(), words, "imdb"))(t)
		require.Len(t, plans, 1)
		return plans[0]
	}
	value := func(p *plan.Plan, key string) string {
		s, ok := p.Set.Get(key)
		require.True(t, ok)
		return s.Value
	}
	printed, code := of("tme10-pe", "optimizer=sgd", "variant=original"), of("tme10-pe", "optimizer=sgd", "variant=code")
	for key, want := range map[string][2]string{
		"slip.pad_statistics": {"true", "false"}, "slip.batch_slot_norm": {"false", "true"}, "norm": {"batch", "batch"},
		"norm.eval": {"running", "running"}, "epochs": {"100", "40"}, "data.max_len": {"0", "256"}, "lr": {"0.01", "0.01"},
	} {
		require.Equal(t, want, [2]string{value(printed, key), value(code, key)}, key)
	}
	require.Equal(t, "the report's", printed.Why("epochs"))
	require.Equal(t, "nothing was cut", printed.Why("data.max_len"))
	require.Equal(t, "42", value(of("tme10-pe", "optimizer=adam", "variant=original"), "epochs"))

	layer := of("tme10-self", "variant=original", "norm=layer")
	require.Equal(t, "false", value(layer, "slip.pad_statistics"), "layer norm has none")
	require.Equal(t, "true", value(of("tme10-self", "variant=original", "norm=batch"), "slip.pad_statistics"))

	for name, want := range map[string]string{
		"tme9-lstm": "tme9-lstm has no variant=code: its published code is variant=original",
		"multihead": "multihead has no variant=code: its code was not published",
	} {
		require.ErrorContains(t, must.Fail(plan.Resolve(t.Context(), []string{name, "variant=code"}, "imdb")), want)
	}
}
