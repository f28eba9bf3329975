package experiments_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/plan"
	"imdbexp/internal/testkit/must"
)

// soon is far more than it takes, and far less than what grows with the square of the
// number of runs.
const soon = 20 * time.Second

func TestManyPlans(t *testing.T) {
	file := filepath.Join(t.TempDir(), "many.yaml")
	require.NoError(t, os.WriteFile(file, []byte("base: tme9-simple\nseed: 1..10000\n"), 0o666))
	for _, words := range [][]string{{"tme9-simple", "seed=1..10000"}, {file}} {
		began := time.Now()
		plans := must.Get(plan.Resolve(t.Context(), words, "sample"))(t)
		require.Len(t, plans, 10000)
		require.Equal(t, []string{"seed"}, plan.Differing(plans))
		require.Less(t, time.Since(began), soon)
	}
}

// A file of very many keys is refused at the first one that there is not.
func TestManyKeys(t *testing.T) {
	text := strings.Builder{}
	text.WriteString("base: tme9-simple\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "k%d: 1\n", i)
	}
	file := filepath.Join(t.TempDir(), "keys.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o666))
	began := time.Now()
	require.Error(t, must.Fail(plan.Resolve(t.Context(), []string{file}, "sample")))
	require.Less(t, time.Since(began), soon)
}

func TestPlanningStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, must.Fail(plan.Resolve(ctx, []string{"tme9-simple", "seed=1..10000"}, "sample")), context.Canceled)
}
