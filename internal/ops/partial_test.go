package ops

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A batch with fewer shards between two with more throws no buffer away.
func TestPartialsKeepTheirBuffers(t *testing.T) {
	var p partials
	p.prepare(3, 5)
	last := &p.bufs[2][0]
	p.prepare(2, 5)
	require.Len(t, p.bufs, 2)
	p.prepare(3, 4)
	require.Len(t, p.bufs, 3)
	require.Same(t, last, &p.bufs[2][0])
}
