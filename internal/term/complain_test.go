package term

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestComplain(t *testing.T) {
	for width, want := range map[int]string{
		0:  "exp: no figure 17; known are\n   2  loss and accuracy\n",
		23: "exp: no figure 17;\n  known are\n   2  loss and accuracy\n",
		16: "exp: no figure\n  17; known are\n   2 loss and\n     accuracy\n",
	} {
		var err bytes.Buffer
		New(nil, &err, width, false).Complain("exp: no figure 17; known are\n   2  loss and accuracy\n")
		require.Equal(t, want, err.String(), width)
	}
}
