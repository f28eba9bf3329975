package compare

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/testkit/must"
	"imdbexp/report/compare"
)

// A ladder can be made for every experiment with an original, or settings of its own: each
// of its runs is one that the program takes, the first the original's, or the model's, and
// the last the default's.
func TestLadderPlans(t *testing.T) {
	for _, name := range ladderNames() {
		e := must.Get(experiments.Lookup(name))(t)
		for _, data := range []string{"imdb", "sample"} {
			var words []string
			if n := len(e.Variants()); n > 0 {
				words = []string{"variant=" + e.Variants()[n-1]}
			}
			c, err := newClimb(e, data, "", words)
			require.NoError(t, err, name)
			p, err := c.plan(nil, func(words ...string) string { return strings.Join(words, " ") })
			require.NoError(t, err, name)
			active := 0
			for _, s := range c.slips {
				if s.Inert == "" {
					active++
				}
			}
			assert.Len(t, p.States, active+1, name)
			assert.Len(t, p.Single, active, name)
			assert.Contains(t, p.Train, "run "+name+" seed=1..3")
			assert.Contains(t, p.Train, "run "+name+" "+strings.Join(c.start, " ")+" seed=1..3")
			for _, line := range p.Train {
				plans, err := plan.Resolve(t.Context(), strings.Fields(line)[1:], data)
				require.NoError(t, err, line)
				assert.Len(t, plans, 3, line)
			}
		}
	}
}

// What one slip needs is put back with it, and goes after it.
func TestLadderOfSlipsThatNeedOthers(t *testing.T) {
	e := must.Get(experiments.Lookup("tme10-cls"))(t)
	c := must.Get(newClimb(e, "imdb", "", []string{"epochs=3", "seed=2,4..5", "variant=code"}))(t)
	p := must.Get(c.plan(nil, func(words ...string) string { return strings.Join(words, " ") }))(t)
	assert.Contains(t, p.Train, "run tme10-cls epochs=3 slip.pad=true slip.batch_slot_norm=true seed=2,4..5")
	var order []string
	for _, s := range p.States[1:] {
		order = append(order, compare.Rung{Slips: s.Out}.Name())
	}
	text := strings.Join(order, " ")
	assert.Less(t, strings.Index(text, "batch_slot_norm"), strings.Index(text, "pad"), text)

	c = must.Get(newClimb(e, "imdb", "", nil))(t)
	p = must.Get(c.plan(nil, func(words ...string) string { return strings.Join(words, " ") }))(t)
	assert.Contains(t, p.Train, "run tme10-cls slip.pad=true slip.pad_statistics=true seed=1..3")
	assert.Contains(t, p.Train, "run tme10-cls epochs=42 seed=1..3", "the row's own")

	e = must.Get(experiments.Lookup("tme9-entropy"))(t)
	c = must.Get(newClimb(e, "imdb", "", nil))(t)
	assert.Equal(t, []string{"lambda=0.001", "slip.sum_entropy=true"}, c.slips[len(c.slips)-1].Settings, "the weight belongs to what it weighs")
	require.ErrorContains(t, must.Fail(newClimb(e, "imdb", "", []string{"seed=x"})), "want whole numbers")
	require.ErrorContains(t, must.Fail(newClimb(e, "imdb", "", []string{"variant=code"})), "a ladder of tme9-entropy begins with variant=original")
}

// A ladder without an original adds an experiment's settings one by one, those that have
// one last; a setting that the command line has is in all of its runs.
func TestLadderOfSettings(t *testing.T) {
	e := must.Get(experiments.Lookup("best"))(t)
	c := must.Get(newClimb(e, "imdb", "", []string{"seed=1", "pool.max=false", "schedule=constant"}))(t)
	p := must.Get(c.plan(nil, func(words ...string) string { return strings.Join(words, " ") }))(t)
	assert.True(t, p.Built)
	assert.Equal(t, "lstm alone", p.From)
	assert.Equal(t, "run best pool.max=false schedule=constant vectors=auto vectors.dim=50 lstm.hidden=50 wide=none word.dropout=0 input.dropout=0 state.dropout=0 average=0 members=1 seed=1", p.Train[1])
	assert.Equal(t, "run best pool.max=false schedule=constant average=0 members=1 seed=1", p.Train[len(p.Train)-1], "what is without the other networks alone is there")
	for _, s := range c.slips {
		assert.NotContains(t, s.Name(), "pool.max")
		assert.NotContains(t, s.Name(), "test")
	}
	require.ErrorContains(t, must.Fail(newClimb(e, "imdb", "", []string{"variant=original"})), "best has no original")
}

// When test is looked at changes no prediction: runs that look seldom are those of the ladder.
func TestLadderOfRunsTestedSeldom(t *testing.T) {
	e := must.Get(experiments.Lookup("tme10-pe"))(t)
	often := must.Get(newClimb(e, "imdb", "", []string{"variant=original"}))(t)
	seldom := must.Get(newClimb(e, "imdb", "", []string{"variant=original", "test.every=6", "test.tail=20"}))(t)
	assert.Equal(t, often.settingsOf(often.defaults), seldom.settingsOf(seldom.defaults))
}
