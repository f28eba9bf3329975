package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

func TestIdleSettings(t *testing.T) {
	for words, want := range map[string][]string{
		"tme9-lstm schedule.factor=0.5": {"schedule.factor=0.5 has no effect under schedule=constant: it needs schedule=step"},
		"tme9-lstm schedule.factor=0.1": nil, // as it is anyway
		"tme9-lstm schedule=constant,step schedule.factor=0.5": {
			"schedule.factor=0.5 has no effect in 1 of 2 runs under schedule=constant: it needs schedule=step"},
		"tme9-lstm schedule=step schedule.factor=0.5":    nil,
		"tme10-self positions.max=600":                   {"positions.max=600 has no effect under positions=none: it needs positions=learned"},
		"tme10-self positions=learned positions.max=600": nil,
	} {
		plans, err := plan.Resolve(t.Context(), strings.Fields(words), "sample")
		require.NoError(t, err)
		require.Equal(t, want, plan.Idle(plans), words)
	}
	// Nobody is told of what the experiments say, each with its rows and slips.
	for _, e := range experiments.All() {
		plans, err := plan.Resolve(t.Context(), []string{e.Name, "variant=" + strings.Join(append(e.Variants(), "default"), ",")}, "sample")
		require.NoError(t, err)
		require.Empty(t, plan.Idle(plans), e.Name)
	}
}

// What settings need is there, and can be had.
func TestNeedsAreSettings(t *testing.T) {
	for _, name := range models.Names() {
		info, err := models.Lookup(name)
		require.NoError(t, err)
		set, err := settings.New(&settings.Run{}, info.New())
		require.NoError(t, err)
		for _, s := range set.All() {
			for one := range strings.FieldsSeq(s.Needs) {
				key, values, _ := strings.Cut(one, "=")
				other, known := set.Get(strings.TrimSuffix(key, "!"))
				require.True(t, known, "%s of %s needs %s", s.Key, info.Name, one)
				for value := range strings.SplitSeq(values, "|") {
					ok := other.Choices == nil || slices.Contains(other.Choices, value)
					require.True(t, ok, "%s of %s needs %s", s.Key, info.Name, one)
				}
			}
		}
	}
}
