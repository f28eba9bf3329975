package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// Given returns the settings of the user, not those of the experiment, optimiser or variant.
func TestGiven(t *testing.T) {
	c := runs.Config{
		Settings: runs.Values{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}},
		From:     map[string]string{"a": "command line", "b": "experiment", "c": "mine/lstm.yaml", "d": "x.yml"},
	}
	require.Equal(t, []runs.Value{{"a", "1"}, {"c", "3"}, {"d", "4"}}, c.Given())
	require.Len(t, c.Settings, 5, "the run's own stay")
	require.Equal(t, runs.Value{"b", "2"}, c.Settings[1])
}
