package attend

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDigits(t *testing.T) {
	require.Equal(t, "0.0000", digits(-1e-9))
	require.Equal(t, "v₁₀", "v"+subscript(10))
}
