package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPercent(t *testing.T) {
	for objects, want := range map[uint64]int{0: 100, 1 << 20: 100, MaxGarbage: 100, 4 * MaxGarbage: 25, 1 << 40: 20} {
		assert.Equal(t, want, percent(objects), objects)
	}
}
