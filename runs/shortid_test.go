package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// What an experiment sets, its optimizer or its variant, is not the user's.
func TestGiven(t *testing.T) {
	c := runs.Config{
		Settings: runs.Values{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}},
		From:     map[string]string{"a": "command line", "b": "experiment", "c": "mine/lstm.yaml", "d": "x.yml"},
	}
	require.Equal(t, []runs.Value{{"a", "1"}, {"c", "3"}, {"d", "4"}}, c.Given())
	require.Len(t, c.Settings, 5, "the run's own stay")
	require.Equal(t, runs.Value{"b", "2"}, c.Settings[1])
}
