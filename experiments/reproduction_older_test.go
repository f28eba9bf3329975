package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/reproduction"
)

// A metric that the kept run lacks, because it is older than the metric, is no difference; any
// other change is.
func TestSameLine(t *testing.T) {
	const kept, again = `{"epoch":1,"test_acc":50}` + "\n", `{"epoch":1,"test_acc":50,"test_macro_f1":40}` + "\n"
	require.True(t, reproduction.SameLine(kept, again))
	require.False(t, reproduction.SameLine(again, kept))
	require.False(t, reproduction.SameLine(kept, `{"epoch":1,"test_acc":51,"test_macro_f1":40}`))
	require.False(t, reproduction.SameLine(kept, `{"epoch":1,"test_macro_f1":40}`))
	require.False(t, reproduction.SameLine(kept, "half a line"))
}
