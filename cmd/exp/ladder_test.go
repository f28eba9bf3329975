package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// ladder is what exp compare --ladder prints where nothing has been run.
type ladder struct {
	text  string
	down  []string // slips in the order of their removal
	alone []string // slips added to the default alone
	train []string // exp run without exp
}

var notRun = regexp.MustCompile(`(?m)^ (.*?) +– +– +not run yet$`)

func ladderOf(t *testing.T, words ...string) (l ladder) {
	t.Helper()
	l.text = ok(t, append([]string{"compare", "--ladder"}, words...)...)
	for i, m := range notRun.FindAllStringSubmatch(l.text, -1) {
		if i == 0 {
			l.down = strings.Split(m[1], " + ")
		} else {
			l.alone = append(l.alone, m[1])
		}
	}
	for line := range strings.Lines(l.text) {
		if words, is := strings.CutPrefix(line, "  "+cli.CommandLine()+" "); is {
			l.train = append(l.train, strings.TrimSpace(words))
		}
	}
	return l
}

// nowhere changes to an empty folder. data=auto is imdb or sample.
func nowhere(t *testing.T, data string) {
	t.Helper()
	dir := t.TempDir()
	if data == "imdb" {
		fixture.Put(t, dir, "aclImdb.tar.gz", nil)
		fixture.Put(t, dir, "glove.6B.50d.txt", nil)
	}
	t.Setenv("EXP_DATA", dir)
	t.Chdir(t.TempDir())
}

// A ladder can be made for every experiment with an original, or settings of its own: each
// of its runs is one that the program takes, the first the original's, or the model's, and
// the last the default's.
func TestLadderPlans(t *testing.T) {
	for _, data := range []string{"imdb", "sample"} {
		t.Run(data, func(t *testing.T) {
			nowhere(t, data)
			for _, e := range experiments.All() {
				variants := e.Variants()
				if len(variants) == 0 && len(e.Settings) < 2 {
					continue
				}
				var words []string
				if len(variants) > 0 {
					words = []string{"variant=" + variants[len(variants)-1]}
				}
				l := ladderOf(t, append([]string{e.Name}, words...)...)
				assert.NotEmpty(t, l.down, e.Name)
				assert.Len(t, l.alone, len(l.down), e.Name)
				assert.Contains(t, l.train, "run "+e.Name+" seed=1..3")
				var first *plan.Plan
				for _, line := range l.train {
					plans, err := plan.Resolve(t.Context(), strings.Fields(line)[1:], data)
					require.NoError(t, err, line)
					assert.Len(t, plans, 3, line)
					if first == nil {
						first = plans[0]
					}
				}
				if len(variants) == 0 {
					assert.Len(t, strings.Fields(l.train[1]), len(l.down)+3, "run NAME, the model's settings, seeds")
					continue
				}
				assert.Contains(t, l.train, "run "+e.Name+" "+words[0]+" seed=1..3")
				slips := slices.DeleteFunc(slices.Clone(must.Get(e.Variant(variants[len(variants)-1], first.Run.Optimizer.Optimizer))(t)), func(d experiments.Diff) bool {
					return strings.HasPrefix(d.Assign, "seed=") || strings.HasPrefix(d.Assign, "lambda=") // which goes with another slip
				})
				assert.Len(t, slips, len(l.down)+strings.Count(l.text, " changes nothing here: "), e.Name)
			}
		})
	}
}

// A slip that another needs is added with it, and removed after it.
func TestLadderOfSlipsThatNeedOthers(t *testing.T) {
	nowhere(t, "imdb")
	l := ladderOf(t, "tme10-cls", "epochs=3", "seed=2,4..5", "variant=code")
	assert.Contains(t, l.train, "run tme10-cls epochs=3 slip.pad=true slip.batch_slot_norm=true seed=2,4..5")
	assert.Less(t, slices.Index(l.down, "batch_slot_norm"), slices.Index(l.down, "pad"), l.down)

	l = ladderOf(t, "tme10-cls")
	assert.Contains(t, l.train, "run tme10-cls slip.pad=true slip.pad_statistics=true seed=1..3")
	assert.Contains(t, l.train, "run tme10-cls epochs=42 seed=1..3", "the row's own")

	l = ladderOf(t, "tme9-entropy")
	assert.Equal(t, "lambda=0.001 sum_entropy", l.alone[len(l.alone)-1], "the weight belongs to what it weighs")
	assert.Contains(t, l.train, "run tme9-entropy lambda=0.001 slip.sum_entropy=true seed=1..3")
	require.Contains(t, on(t, 0, false, exitUsage, "compare", "--ladder", "tme9-entropy", "seed=x"), "want whole numbers")
	require.Contains(t, on(t, 0, false, exitUsage, "compare", "--ladder", "tme9-entropy", "variant=code"), "a ladder of tme9-entropy begins with variant=original")
}

// A ladder without an original adds an experiment's settings one by one, those that have
// one last; a setting that the command line has is in all of its runs.
func TestLadderOfSettings(t *testing.T) {
	nowhere(t, "imdb")
	l := ladderOf(t, "best", "seed=1", "pool.max=false", "schedule=constant")
	assert.Contains(t, l.text, ": from lstm alone, one setting at a time\n")
	assert.Equal(t, "run best pool.max=false schedule=constant vectors=auto vectors.dim=50 lstm.hidden=50 wide=none word.dropout=0 input.dropout=0 state.dropout=0 average=0 members=1 seed=1", l.train[1])
	assert.Equal(t, "run best pool.max=false schedule=constant average=0 members=1 seed=1", l.train[len(l.train)-1], "what is without the other networks alone is there")
	assert.ElementsMatch(t, l.down, l.alone)
	for _, name := range l.down {
		assert.NotContains(t, name, "pool.max")
		assert.NotContains(t, name, "test")
	}
	require.Contains(t, on(t, 0, false, exitUsage, "compare", "--ladder", "best", "variant=original"), "best has no original")
}

// When to evaluate on test changes no prediction: runs that do it seldom are those of the ladder.
func TestLadderOfRunsTestedSeldom(t *testing.T) {
	nowhere(t, "sample")
	words, seldom := []string{"tme10-pe", "data.limit=20", "vectors=random", "epochs=1", "seed=1"}, []string{"test.every=6", "test.tail=20"}
	defaults := "run tme10-pe data.limit=20 vectors=random epochs=1 seed=1"
	require.Contains(t, ladderOf(t, words...).train, defaults)
	ok(t, slices.Concat([]string{"run"}, words, seldom)...)
	require.NotContains(t, ladderOf(t, words...).train, defaults)
}
