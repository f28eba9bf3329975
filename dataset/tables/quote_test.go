package stream

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSafeName(t *testing.T) {
	assert.Equal(t, `"a\x00b"`, Quote("a\x00b"))
	assert.Less(t, len(Quote(strings.Repeat("x", 1000))), 220)
}
