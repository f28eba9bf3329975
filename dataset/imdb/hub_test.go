package imdb

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each part has the names that its reviews have in the archive, once each.
func TestHubNames(t *testing.T) {
	at := hubNames[len(hubParts)*sha256.Size:]
	for _, p := range hubParts {
		texts := make([]hubText, p.reviews)
		for i := range texts {
			texts[i].row = i
		}
		seen := map[string]bool{}
		for _, name := range hubNamesOf(p.folders, at, texts) {
			require.True(t, IsReview(name+".txt"), name)
			seen[name] = true
		}
		assert.Len(t, seen, p.reviews)
		at = at[2*p.reviews:]
	}
	assert.Empty(t, at)
}

// Other Parquet files are no IMDB: the error names them.
func TestOtherParquet(t *testing.T) {
	type row struct {
		Text  string `parquet:"text"`
		Label int64  `parquet:"label"`
	}
	dir := t.TempDir()
	for want, rows := range map[string][]row{
		"its 2 texts are not those of IMDB's train, test or unsupervised file": {{"good", 1}, {"bad", 0}},
		`the label "5" is none of IMDB's. Your own reviews need a name`:        {{"good", 5}},
	} {
		file := filepath.Join(dir, "train.parquet")
		require.NoError(t, parquet.WriteFile(file, rows))
		require.Equal(t, []string{file}, HubFiles(dir))
		_, err := OpenHub(context.Background(), HubFiles(file), nil)
		assert.ErrorContains(t, err, file)
		assert.ErrorContains(t, err, want)
	}
	_, err := OpenHub(context.Background(), nil, nil)
	assert.ErrorContains(t, err, "IMDB's Parquet file train is missing")
}
