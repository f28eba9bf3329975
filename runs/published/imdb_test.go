package published_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/runs/published"
)

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
