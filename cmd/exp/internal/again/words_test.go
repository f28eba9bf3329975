package again

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
)

// The words of a task make the plan that they were written for, whatever it came from.
func TestPlanWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte("base: tme9-lstm\noptimizer: sgd\nlr: [0.05, 0.01]\nvariant: original\ntokens: ptb\n"), 0o666))
	commands := [][]string{
		{"tme9"}, {"tme10"}, {"tme9", "variant=original"}, {"tme10", "variant=original"}, {"tme9", "optimizer=sgd"},
		{"tme9-lstm", "seed=1..2", "lr=0.01,1e-5", "clip=1"}, {"tme9-simple", "slip.oov_masked=true"}, {file},
	}
	for _, e := range experiments.All() {
		commands = append(commands, []string{e.Name, "variant=original", "epochs=3"})
	}
	for _, words := range commands {
		for _, data := range []string{"sample", "imdb"} {
			plans, err := plan.Resolve(t.Context(), words, data)
			require.NoError(t, err, words)
			for _, p := range plans {
				got, err := Words(p)
				require.NoError(t, err, words)
				again, err := plan.Resolve(t.Context(), got, "sample") // whatever the node has
				require.NoError(t, err, got)
				require.Len(t, again, 1, got)
				assert.Equal(t, p.Experiment, again[0].Experiment)
				assert.Empty(t, differing(p, again[0]), got)
				assert.Empty(t, differing(again[0], p), got)
			}
		}
	}
	plans, err := plan.Resolve(t.Context(), []string{"tme9-lstm", "optimizer=sgd", "seed=2"}, "imdb")
	require.NoError(t, err)
	words, err := Words(plans[0])
	require.NoError(t, err)
	assert.Equal(t, []string{"tme9-lstm", "data=imdb", "optimizer=sgd", "seed=2"}, words)
}
