package term

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasure(t *testing.T) {
	size := func(w int, err error) func() (int, error) { return func() (int, error) { return w, err } }
	require.Equal(t, 132, measure(true, "", size(132, nil)), "what the terminal says")
	require.Equal(t, 60, measure(true, "60", size(132, nil)), "COLUMNS wins")
	require.Equal(t, 132, measure(true, "wide", size(132, nil)))
	require.Equal(t, fallback, measure(true, "", size(0, errors.New("no"))))
	require.Equal(t, 0, measure(false, "", size(132, nil)), "a pipe has no width")
}

func TestSystemNeedsNoTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	require.False(t, System().Color())
}
