package tables_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/internal/stream"
)

func TestSafeName(t *testing.T) {
	assert.Equal(t, `"a\x00b"`, stream.Quote("a\x00b"))
	assert.Less(t, len(stream.Quote(strings.Repeat("x", 1000))), 220)
}
