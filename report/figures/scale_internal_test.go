package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run at chance, and one epoch of a good one, once had axes of 0.6928 to 0.6938 and of
// 68.1599990.
func TestAxisSpansSomething(t *testing.T) {
	loss := lossScale(2).axis(ends{0.6929, 0.6937})
	assert.InDelta(t, 0.1, loss.span(), 0.01)
	assert.True(t, loss.low < math.Ln2 && math.Ln2 < loss.high)
	one := accuracyScale(2).axis(ends{68.16, 68.16})
	assert.InDelta(t, 10.8, one.span(), 1e-9)
	assert.Equal(t, ends{99, 100}.with(ends{90, 100}), accuracyScale(2).alone(ends{99, 100}), "nothing above 100")
	assert.Equal(t, ends{0, 0.1}, lossScale(2).alone(ends{0.001, 0.002}), "nothing below 0")
	assert.Equal(t, "chance, 33.3 %", accuracyScale(3).named)
	assert.Equal(t, "chance, ln 3", lossScale(3).named)
	assert.Zero(t, accuracyScale(1).chance)
	assert.Equal(t, ends{82, 97}, accuracyScale(2).alone(ends{82, 97}), "chance is far away")
}

// One axis serves all panels of a kind, the short ones grown as they would be alone; not
// beside one so long that they would be flat.
func TestJointScale(t *testing.T) {
	s := scale{least: 10, top: 100}
	axis, serves := s.joint([]ends{{88, 92}, {84, 86}, {82, 84}})
	require.True(t, serves)
	require.InDelta(t, 78-0.04*17, axis.low, 1e-9)
	require.InDelta(t, 95+0.04*17, axis.high, 1e-9)
	_, serves = scale{}.joint([]ends{{0, 1}, {0, wide + 1}})
	require.False(t, serves)
}
