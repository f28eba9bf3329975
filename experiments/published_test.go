package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/runs"
	"imdbexp/runs/published"
)

// A run of before the correction stands beside what is known now, its code beside what the
// code logged; rows that are not of the table stay as they are.
func TestCorrect(t *testing.T) {
	run := func(name, variant string, p *runs.Published) *runs.Config {
		return &runs.Config{Name: name, Variant: variant, Published: p, Settings: runs.Values{{Key: "optimizer", Value: "adam"}}}
	}
	old := &runs.Published{Row: "self-attention, Adam", TrainAcc: 75.9, TestAcc: 74.0, Epochs: 42, Source: "TME 10, figure 17"}
	now := published.Correct(run("tme10-self", "original", old))
	assert.Equal(t, [4]float64{74, 75.9, 0.558, 0.539}, [4]float64{now.TrainAcc, now.TestAcc, now.TrainLoss, now.TestLoss})
	assert.Contains(t, now.Note, "smoothed")
	assert.Equal(t, now, published.Correct(run("tme10-self", "default", now)))

	logged := published.Correct(run("tme10-self", "code", old))
	assert.Equal(t, [2]float64{78.2, 77.7}, [2]float64{logged.TrainAcc, logged.TestAcc})
	assert.Equal(t, 20, logged.Epochs)
	assert.Equal(t, logged, published.Correct(run("tme10-self", "code", logged)))
	assert.Nil(t, published.Row("tme10-cls-pe", "adam", "code"), "nothing was logged")

	own := &runs.Published{Row: "self-attention, Adam", TestAcc: 1, Source: "mine"}
	assert.Same(t, own, published.Correct(run("tme10-self", "default", own)))
	assert.Same(t, old, published.Correct(run("my-self", "default", old)))
	assert.Nil(t, published.Correct(run("tme10-self", "default", nil)))
}

// Each row says who published it and where the number was read; none looks more certain
// than it is.
func TestIMDB(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range published.IMDB {
		name := r.Paper + ", " + r.Model
		assert.False(t, seen[name], "%s is there twice", name)
		seen[name] = true
		assert.Regexp(t, `^[A-Z]\S.* \d{4}$`, r.Paper)
		assert.NotEmpty(t, r.Place, name)
		assert.NotEmpty(t, r.Checked, name)
		assert.Equal(t, 25_000, r.Labels, name)
		assert.True(t, r.Accuracy > 85 && r.Accuracy < 100, name)
		assert.Contains(t, []string{"", published.Validation, published.Test}, r.Chosen, name)
		if r.TestTexts || r.Chosen == published.Test {
			assert.NotEmpty(t, r.Remark, "%s: who says so?", name)
		}
	}
}
