package experiments_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
)

// What the report saw is said of its experiments, with the numbers of its table and
// the names of experiments that there are.
func TestWatch(t *testing.T) {
	name := regexp.MustCompile(`tme\d+-[a-z-]+[a-z]`)
	for _, e := range experiments.All() {
		text := experiments.Watch(e.Name)
		if e.Group == "tme10" {
			require.NotEmpty(t, text, e.Name)
		}
		require.NotRegexp(t, ` 0\.0 |[{}]`, text, "a row that is not in the table")
		for _, other := range name.FindAllString(text, -1) {
			_, err := experiments.Lookup(other)
			require.NoError(t, err, e.Name)
		}
	}
	require.Contains(t, experiments.Watch("tme9-query"), "78.1 % on test where tme9-simple has 80.0 %")
	require.Contains(t, experiments.Watch("tme10-pe"), "81.6 and 77.5 %")
	require.Contains(t, experiments.Watch("seq2seq-plain"), "BLEU 30.6 with the source reversed")
	require.Empty(t, experiments.Watch("mean"), "a model's name")
}
